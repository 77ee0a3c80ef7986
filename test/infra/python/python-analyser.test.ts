import test from 'ava';
import { AnalyserOverloaded } from '../../../infra/ports/code-analysis.ts';
import { createCodeAnalyser } from '../../../infra/python/python-analyser.ts';
import { bombs } from './bombs.ts';

const analyser = createCodeAnalyser();
test.before(() => analyser.start());
test.after.always(() => analyser.stop());

// Some that once took ruff or our reader seconds or gigabytes; the others in `npm run proof:python`.
const refused = [
  ...['brackets that open', 'brackets that close', 'sums without end', 'attributes without end'],
  'a dictionary of one key',
];

test.serial('a hostile file is refused and the next one is judged', async (t) => {
  for (const name of refused) {
    // On a busy machine it has no verdict and is asked for again, which is no acceptance either.
    const outcome = await analyser.analyse(Buffer.from(bombs[name] ?? '')).then(
      ({ kind }) => kind,
      (error: unknown) => (error instanceof AnalyserOverloaded ? 'overloaded' : error),
    );

    t.true(outcome === 'invalid' || outcome === 'overloaded', `${name}: ${outcome}`);
    t.deepEqual(await analyser.analyse(Buffer.from('x = 1\n')), { kind: 'clean' }, name);
  }
});

// CPython takes them too, and a line of strings is read in time since it is checked in shorter lines.
test.serial('strings side by side in a megabyte are no fault of a file', async (t) => {
  const patient = createCodeAnalyser({ deadlineMs: 20_000 });
  t.teardown(() => patient.stop());
  const strings = Buffer.from(bombs['strings side by side'] ?? '');

  t.deepEqual(await patient.analyse(strings), { kind: 'clean' });
});

test.serial('an honest file of 900 kB is judged clean', async (t) => {
  // Not about speed: a machine that does much else makes every second of processor time shorter.
  const patient = createCodeAnalyser({ deadlineMs: 20_000 });
  t.teardown(() => patient.stop());
  const step = (i: number) =>
    `def step_${i}(task: dict[str, str], limit: int = ${i}) -> list[str]:\n` +
    `    """Ranks the offers of one shop by price and rating."""\n` +
    '    offers = [o for o in task.get("offers", "").split(",") if len(o) > limit]\n' +
    '    return sorted(offers, key=lambda offer: (-len(offer), offer.lower()))\n\n\n';
  const code = Array.from({ length: 4000 }, (_, i) => step(i))
    .join('')
    .slice(0, 990_000);
  const file = Buffer.from(code.slice(0, code.lastIndexOf('\ndef ')));
  t.true(file.length > 900_000);

  t.deepEqual(await patient.analyse(file), { kind: 'clean' });
});

test.serial('files that arrive together each get their own verdict', async (t) => {
  const files = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? 'x = 1\n' : 'eval("1")\n'));

  const verdicts = await Promise.all(files.map((code) => analyser.analyse(Buffer.from(code))));

  t.deepEqual(
    verdicts.map(({ kind }) => kind),
    files.map((_, i) => (i % 2 === 0 ? 'clean' : 'violations')),
  );
});

test('the wait for a thread is bounded', async (t) => {
  const small = createCodeAnalyser({ waitingMax: 1 });
  const file = Buffer.from('x = 1\n');

  const outcomes = await Promise.allSettled([1, 2, 3].map(() => small.analyse(file)));
  await small.stop();

  t.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected'],
  );
});

test('a file over the limit is not even parsed', async (t) => {
  const small = createCodeAnalyser({ fileBytesMax: 10 });

  const verdict = await small.analyse(Buffer.from('x = 1234567\n'));

  t.deepEqual(verdict, { kind: 'invalid', detail: 'InvalidFileError: the file exceeds 10 bytes' });
});

test('an analyser works again after it was stopped', async (t) => {
  const again = createCodeAnalyser({ agentPackages: ['shop'] });
  await again.stop();
  await again.start();

  const verdict = await again.analyse(Buffer.from('import shop\nshop.find()\n'));
  await again.stop();

  t.is(verdict.kind, 'clean');
});

const bound = [
  'def act(task):\n    return {}\n',
  'async def act(task):\n    return {}\n',
  'class act:\n    pass\n',
  'act = lambda task: {}\n',
  'from json import dumps as act\n',
];
const unbound = ['def other(task):\n    act = 1\n    return act\n', 'x = 1\n'];

test('a configured entry point must be bound at the top level of the file', async (t) => {
  const asking = createCodeAnalyser({ entryPoint: 'act' });
  t.teardown(() => asking.stop());

  for (const text of bound) t.is((await asking.analyse(Buffer.from(text))).kind, 'clean', text);
  for (const text of unbound) {
    const verdict = await asking.analyse(Buffer.from(text));
    const detail = "InvalidFileError: the file defines no 'act', which the sandbox calls";
    t.deepEqual(verdict, { kind: 'invalid', detail }, text);
  }
});

const invalidFiles: Readonly<Record<string, [string | Uint8Array, RegExp]>> = {
  'an empty file': ['', /must not be empty/],
  'white space alone': ['\n  \n\t\n', /must not be empty/],
  'comments alone': ['# a\n\n# b', /must not be empty/],
  'a lone byte': [Uint8Array.of(0x78, 0xff), /not valid UTF-8/],
  'UTF-16': [Buffer.from('\ufeffx = 1', 'utf16le'), /not valid UTF-8|null bytes/],
  'an overlong form': [Uint8Array.of(0xc0, 0xaf), /not valid UTF-8/],
  'a surrogate': [Uint8Array.of(0xed, 0xa0, 0x80), /not valid UTF-8/],
  'a null byte': ['x = 1\n\0', /null bytes \(line 2\)/],
  'another encoding': ['# -*- coding: latin-1 -*-\nx = 1\n', /'latin-1'/],
  'another encoding on line two': ['#!/bin/sh\n# coding=utf-7\nx = 1\n', /'utf-7'/],
  'a syntax error': ['x = (\n', /'\(' was never closed \(line 1\)/],
  'a print statement': ["x = 1\nprint 'x'\n", /line 2/],
  'a type statement': ['type X = int\n', /invalid syntax \(line 1\)/],
  'quotes reused in an f-string': ["x = f'{a['b']}'\n", /f-string: unmatched '\['/],
  'return outside a function': ['return 1\n', /'return' outside function \(line 1\)/],
  'break outside a loop': ['if 1:\n    break\n', /'break' outside loop/],
  'a bracket too deep': [
    `x = ${'('.repeat(201)}1${')'.repeat(201)}\n`,
    /too many nested parentheses/,
  ],
  'a block too deep': [
    `${Array.from({ length: 101 }, (_, i) => `${' '.repeat(i)}if 1:\n`).join('')}${' '.repeat(101)}x\n`,
    /too many levels of indentation/,
  ],
  'an integer too long': [`x = ${'9'.repeat(5000)}\n`, /Exceeds the limit \(4300 digits\)/],
  'brackets that do not match': ['x = (]\n', /closing parenthesis '\]' does not match/],
};
for (const [name, [code, reason]] of Object.entries(invalidFiles)) {
  test.serial(`is not a file of Python 3.11: ${name}`, async (t) => {
    const verdict = await analyser.analyse(Buffer.from(code));

    t.is(verdict.kind, 'invalid', JSON.stringify(verdict));
    t.regex('detail' in verdict ? verdict.detail : '', /^InvalidFileError: /);
    t.regex('detail' in verdict ? verdict.detail : '', reason);
  });
}
