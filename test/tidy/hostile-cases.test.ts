import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { caseProofs, categoryProofs } from '../hostile/coverage.ts';

const root = join(import.meta.dirname, '../..');

const cases = [
  ...['A1', 'A2', 'A3', 'A4', 'A25', 'A26', 'A27', 'B1', 'B2', 'B6', 'B7', 'C1', 'C6', 'C9'],
  ...['D1', 'D3', 'D4', 'D7', 'U1', 'U8', 'U9', 'U11', 'U12', 'U13', 'S1', 'S9', 'K1', 'R1', 'T8'],
];

test('every published case of an attack has a test that bears its name', (t) => {
  t.deepEqual(Object.keys(caseProofs).sort(), cases.toSorted());
});

test('every test that is named as a proof is there, over two edges where processes matter', (t) => {
  for (const { file, title } of [
    ...Object.values(caseProofs),
    ...Object.values(categoryProofs).flat(),
  ]) {
    t.true(readFileSync(join(root, file), 'utf8').includes(title), `${file}: ${title}`);
  }
  for (const { file } of Object.values(caseProofs)) {
    t.regex(readFileSync(join(root, file), 'utf8'), /edges: [2-9]/, file);
  }
});
