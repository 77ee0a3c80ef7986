import test from 'ava';
import { analyseFile } from '../../../infra/python/analyse-file.ts';
import { loadRuff } from '../../../infra/python/ruff.ts';
import { ownAccepted, publishedAccepted } from './accepted-samples.ts';
import { ownRefused, publishedRefused } from './refused-samples.ts';

const ruff = loadRuff();
const profile = { agentPackages: ['paddock_agent'], entryPoint: undefined };
const analyse = (code: string | Uint8Array) =>
  analyseFile(typeof code === 'string' ? Buffer.from(code) : code, ruff, profile);

for (const { id, code, as, rule } of [...publishedRefused, ...ownRefused]) {
  test(`is refused: ${id}`, (t) => {
    const verdict = analyse(code);

    t.is(verdict.kind, as, JSON.stringify(verdict));
    if (as === 'invalid')
      t.regex('detail' in verdict ? verdict.detail : '', /^InvalidFileError: insecure librar/);
    const rules =
      verdict.kind === 'violations' ? verdict.violations.map((found) => found.rule) : [];
    if (rule !== undefined) t.true(rules.includes(rule), rules.join(', '));
  });
}

for (const { id, code } of [...publishedAccepted, ...ownAccepted]) {
  test(`is accepted: ${id}`, (t) => {
    t.deepEqual(analyse(code), { kind: 'clean' });
  });
}

test('an insecure library is named with its line', (t) => {
  t.deepEqual(analyse('x = 1\n\nimport subprocess\n'), {
    kind: 'invalid',
    detail: "InvalidFileError: insecure library 'subprocess' (line 3)",
  });
});

test('an insecure library outranks other violations', (t) => {
  const verdict = analyse('eval("1")\nimport socket\nimport ctypes\n');

  t.deepEqual(verdict, {
    kind: 'invalid',
    detail: "InvalidFileError: insecure libraries 'socket' (line 2), 'ctypes' (line 3)",
  });
});

test('a violation says where it stands and shows the line', (t) => {
  const verdict = analyse(`def f():\n    größe = 1; x = eval("1") ${'#'.repeat(200)}\n`);

  t.is(verdict.kind, 'violations');
  const [found] = verdict.kind === 'violations' ? verdict.violations : [];
  t.like(found, { rule: 'forbidden-builtin', severity: 'error', line: 2, column: 20 });
  t.is(found?.category, 'DYNAMIC_CODE');
  t.is(found?.snippet.length, 120);
  t.true(found?.snippet.startsWith('größe = 1; x = eval'));
});

test('violations come in the order of the file and end at a hundred', (t) => {
  const verdict = analyse('x = vars(1)\n'.repeat(150));

  t.is(verdict.kind, 'violations');
  const lines = verdict.kind === 'violations' ? verdict.violations.map(({ line }) => line) : [];
  t.deepEqual(
    lines,
    Array.from({ length: 100 }, (_, i) => i + 1),
  );
});

test('as deep as Python allows is accepted', (t) => {
  const brackets = `x = ${'['.repeat(200)}1${']'.repeat(200)}\n`;

  t.deepEqual(analyse(brackets), { kind: 'clean' });
});
