import { readdirSync } from 'node:fs';
import test from 'ava';
import { nameRules, unknownNames } from '../tidy/known-names.ts';
import { blocksOf, guidesFolder, missingLine, readGuide } from './guide-blocks.ts';

const names = readdirSync(guidesFolder).filter((name) => name.endsWith('.md'));

const page = `# T

## U

\`\`\`sh
one
two
\`\`\`

\`\`\`text
a … c
\`\`\`

\`\`\`sh exit 3
three
\`\`\`

\`\`\`json
{}
\`\`\`

\`\`\`sh terminal
four
\`\`\`

\`\`\`sh clean-machine: installs a moon
six
\`\`\`
`;

test('a block says how it is meant, and what it shows goes with it', (t) => {
  const chapter = { chapter: 'U' };

  t.deepEqual(blocksOf(page), [
    { ...chapter, kind: 'run', line: 5, code: 'one\ntwo', exitCode: 0, shown: ['a … c'] },
    { ...chapter, kind: 'run', line: 14, code: 'three', exitCode: 3, shown: [] },
    { ...chapter, kind: 'terminal', line: 22, code: 'four', shown: [] },
    { ...chapter, kind: 'clean-machine', line: 26, code: 'six', why: 'installs a moon', shown: [] },
  ]);
});

test('a block that nobody would run is caught', (t) => {
  for (const info of [
    'bash',
    'console',
    'sh later',
    'sh not-run-here: there is no moon',
    'sh clean-machine',
    'sh clean-machine: why',
  ]) {
    t.throws(() => blocksOf(`\`\`\`${info}\nx\n\`\`\`\n`), { message: /nobody knows/ }, info);
  }
  t.throws(() => blocksOf('```text\nx\n```\n'), { message: /output of no command/ });
});

test('what is shown is looked for in order, with any width and anything for …', (t) => {
  const output = 'Accepted: a, version 0a-1b\n  where   waiting\n\n  next    2 runs\n';

  t.is(
    missingLine(['Accepted: a, version …', '…', 'where waiting', 'next 2 runs'], output),
    undefined,
  );
  t.is(missingLine(['where waiting', 'Accepted: a, version …'], output), 'Accepted: a, version …');
  t.is(missingLine(['where'], output), 'where');
  t.is(missingLine(['next 2 run.'], output), 'next 2 run.');
});

// What is typed is run; this is about what stands in sentences and tables.
test('every command, route, setting, code and metric that a guide names is one of the sources', (t) => {
  const lost = names.flatMap((name) =>
    unknownNames(readGuide(name), nameRules).map((unknown) => `${name}: ${unknown}`),
  );

  t.deepEqual(lost, []);
  t.deepEqual(unknownNames('`npx paddock submit FILE --moon` `npx paddock status ID`', nameRules), [
    'command submit FILE --moon',
  ]);
});
