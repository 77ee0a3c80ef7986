import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { type CpuProfile, hottest, hottestText, programOf, stackOf } from './cpu-profile.ts';
import { flamePage } from './flame-graph.ts';

/** `main` calls `outer` twelve times, which calls `inner`; recorded by Node with --cpu-prof. */
const recorded: CpuProfile = JSON.parse(
  readFileSync(join(import.meta.dirname, 'recorded.cpuprofile'), 'utf8'),
);
const whole = { fromUs: recorded.startTime, toUs: recorded.endTime };

/** `loop` calls itself; a tenth of the second is waiting. */
const made: CpuProfile = {
  nodes: [
    node(1, '(root)', [2, 3]),
    node(2, '(idle)'),
    node(3, 'loop', [4]),
    node(4, 'loop', [5]),
    node(5, 'leaf <T>'),
  ],
  ...{ startTime: 1_000, endTime: 2_000, samples: [2, 3, 4, 5], timeDeltas: [0, 100, 200, 300] },
};

function node(id: number, functionName: string, children: readonly number[] = []) {
  const callFrame = { functionName, url: 'file:///app/apps/edge/loop.ts', lineNumber: 4 };
  return { id, callFrame, children };
}

test('time is of the function that was seen, until the next look', (t) => {
  const [loop] = stackOf(made, { fromUs: 0, toUs: 9_000 }).children;

  t.is(loop?.selfUs, 200);
  t.is(loop?.totalUs, 900);
  t.is(loop?.where, 'apps/edge/loop.ts:5');
});

test('what was waited is no work', (t) => {
  t.is(stackOf(made, { fromUs: 0, toUs: 9_000 }).totalUs, 900);
});

test('what lies outside the span is left out', (t) => {
  t.is(stackOf(made, { fromUs: 1_250, toUs: 1_350 }).totalUs, 100);
});

test('a function that calls itself is counted once in a stack', (t) => {
  const found = hottest(stackOf(made, { fromUs: 0, toUs: 9_000 }), 20);

  t.deepEqual(
    found.map(({ name, selfUs, totalUs }) => [name, selfUs, totalUs]),
    [
      ['loop', 500, 900],
      ['leaf <T>', 400, 400],
    ],
  );
});

test('the hottest function of a recorded profile is the one that did the work', (t) => {
  const root = stackOf(recorded, whole);
  const [first] = hottest(root, 1);

  t.is(first?.name, 'inner');
  t.is(first?.where, 'busy.mjs:1');
  t.true(root.totalUs <= recorded.endTime - recorded.startTime);
  t.regex(hottestText(root, 3).split('\n')[1] ?? '', /%.*inner {2}busy\.mjs:1$/);
  t.is(hottestText(root, 3).trimEnd().split('\n').length, 4);
});

test('a flame graph shows every function that is wide enough, and needs nothing from elsewhere', (t) => {
  const page = flamePage('edge', stackOf(recorded, whole), '');

  for (const name of ['main', 'outer', 'inner']) t.true(page.includes(`>${name}</text>`), name);
  t.notRegex(page, /(?:src|href)=|<script|@import/);
});

test('names are text and never markup', (t) => {
  const page = flamePage('a <b>', stackOf(made, { fromUs: 0, toUs: 9_000 }), '<i>');

  t.true(page.includes('leaf &lt;T&gt;'));
  t.false(page.includes('<b>'));
  t.false(page.includes('<i>'));
});

test('a profile tells which program it is of', (t) => {
  t.is(programOf(made), 'edge');
  t.is(programOf(recorded), 'other');
});
