import test from 'ava';
import { loadRuff } from '../../../infra/python/ruff.ts';
import { withShortLines } from '../../../infra/python/short-lines.ts';
import { readSourceFile } from '../../../infra/python/source-file.ts';

const ruff = loadRuff();

function shortened(text: string) {
  const source = readSourceFile(Buffer.from(text));
  const tokens = ruff.tokens(text);
  return { tokens, short: withShortLines(source, text, tokens) };
}

const breaks = new Set(['NonLogicalNewline', 'Comment']);
const kindsOf = (text: string) =>
  ruff.tokens(text).flatMap(({ kind }) => (breaks.has(kind) ? [] : [kind]));
const longest = (text: string) => Math.max(...text.split('\n').map((line) => line.length));

const long: readonly (readonly [name: string, text: string])[] = [
  ['a dictionary', `x={${'"a":1,'.repeat(2_000)}}\n`],
  ['strings side by side', `x=(${'"ä"'.repeat(2_000)})\n`],
  ['calls within calls', `x=${'f("a", '.repeat(150)}1${', b="c")'.repeat(150)}\n`],
  [
    'f-strings between',
    `x=[${'f"{a["b"]!r:>{10}}", "b", '.replaceAll('"b"', "'b'").repeat(400)}]\n`,
  ],
  ['with comments', `x=[${'"a",'.repeat(600)} # ${'c'.repeat(2_000)}\n${'"b",'.repeat(600)}]\n`],
  ['continued by backslashes', `x=[${'"a", \\\n'.repeat(5)}${'"b",'.repeat(600)}]\n`],
  ['two statements', `x=[${'"a",'.repeat(600)}]; y=[${'"a",'.repeat(600)}]\nz = 1\n`],
];

for (const [name, text] of long) {
  test(`is the same program in shorter lines: ${name}`, (t) => {
    const { short } = shortened(text);
    t.not(short.text, text);
    t.true(longest(short.text.replaceAll(/#.*/g, '')) < 1_200);
    t.deepEqual(kindsOf(short.text), kindsOf(text));
    t.is(ruff.syntaxError(short.text), null);
    t.is(ruff.syntaxError(text), null);
  });
}

test('a line that may not be broken stays as it is', (t) => {
  const sum = `x = 1${' + 1'.repeat(600)}\n`;
  const field = `x = f"{${'a,'.repeat(900)}}"\n`;
  for (const text of [sum, field, 'x = [\n  1,\n]\n'.repeat(500)]) {
    t.is(shortened(text).short.text, text);
  }
});

test('each line of it is known as the one of the file that it is part of', (t) => {
  const text = `a = 1\nx = {${'"a": 1, '.repeat(500)}}\ny = [\n${'"b", '.repeat(500)}]\nlast = 2\n`;
  const { short } = shortened(text);
  const lines = text.split('\n');
  for (const [index, line] of short.text.split('\n').entries()) {
    t.true(lines[short.lineOf(index + 1) - 1]?.includes(line), `line ${index + 1}`);
  }
  t.is(short.lineOf(short.text.split('\n').length - 1), 5);
});
