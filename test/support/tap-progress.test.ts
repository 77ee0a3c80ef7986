import { stripVTControlCharacters } from 'node:util';
import test from 'ava';
import { tapProgress } from './tap-progress.ts';

const tap = `TAP version 13
ok 1 - race › a race closes at noon
#   a log
not ok 2 - race › a race opens
  ---
    message: it stayed shut
  ...
ok 3 - pins › pins move

1..3
# tests 3
# pass 2
# fail 1
`;

function readAll() {
  const said: string[] = [];
  const progress = tapProgress((line) => said.push(stripVTControlCharacters(line)));
  for (const line of tap.split('\n')) progress.read(line);
  return { said, progress };
}

test('a run is counted and told test by test', (t) => {
  const { said, progress } = readAll();

  t.deepEqual(progress.counts, { passed: 2, failed: 1 });
  t.deepEqual(said, [
    '✔ race › a race closes at noon',
    '#   a log',
    '✘ race › a race opens',
    '    message: it stayed shut',
    '✔ pins › pins move',
  ]);
});

test('failures are repeated with their details and nothing else', (t) => {
  const { said, progress } = readAll();
  said.length = 0;

  progress.repeatFailures();

  t.deepEqual(said, ['\n1 failed:\n', '✘ race › a race opens\n    message: it stayed shut\n']);
});
