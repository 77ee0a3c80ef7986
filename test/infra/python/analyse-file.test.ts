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
  'a syntax error': ['x = (\n', /line 1|line 2/],
  'a print statement': ["x = 1\nprint 'x'\n", /line 2/],
  'a type statement': ['type X = int\n', /Python 3\.11.*line 1/],
  'quotes reused in an f-string': ["x = f'{a['b']}'\n", /Python 3\.11/],
  'return outside a function': ['return 1\n', /outside of a function/],
  'break outside a loop': ['if 1:\n    break\n', /outside loop/],
  'a bracket too deep': [
    `x = ${'('.repeat(201)}1${')'.repeat(201)}\n`,
    /too many nested parentheses/,
  ],
  'a block too deep': [
    `${Array.from({ length: 101 }, (_, i) => `${' '.repeat(i)}if 1:\n`).join('')}${' '.repeat(101)}x\n`,
    /too many levels of indentation/,
  ],
  'an integer too long': [`x = ${'9'.repeat(5000)}\n`, /more digits/],
  'brackets that do not match': ['x = (]\n', /unmatched/],
};
for (const [name, [code, reason]] of Object.entries(invalidFiles)) {
  test(`is not a file of Python 3.11: ${name}`, (t) => {
    const verdict = analyse(code);

    t.is(verdict.kind, 'invalid', JSON.stringify(verdict));
    t.regex('detail' in verdict ? verdict.detail : '', /^InvalidFileError: /);
    t.regex('detail' in verdict ? verdict.detail : '', reason);
  });
}

test('as deep as Python allows is accepted', (t) => {
  const brackets = `x = ${'['.repeat(200)}1${']'.repeat(200)}\n`;

  t.deepEqual(analyse(brackets), { kind: 'clean' });
});
