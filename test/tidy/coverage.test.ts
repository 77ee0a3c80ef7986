import { readFileSync } from 'node:fs';
import test from 'ava';
import { allNamings, coveragePage, namingsIn, testsOf, uncovered } from '../spec/coverage.ts';
import { routes } from '../spec/routes.ts';
import { allRows, rowsOf } from '../spec/rows.ts';

const rows = allRows();
const namings = allNamings();

test('every row of the specification is held by a test', (t) => {
  t.deepEqual(uncovered(rows, namings), []);
});

test('every route is asked for by its very id', (t) => {
  const named = new Set(namings.map(({ pattern }) => pattern));
  t.deepEqual(
    Object.keys(routes).filter((id) => !named.has(id)),
    [],
  );
});

test('no two rows share an id, and no test names a row that is gone', (t) => {
  t.is(new Set(rows.map(({ id }) => id)).size, rows.length);
  const patterns = [...new Set(namings.map(({ pattern }) => pattern))];
  for (const pattern of patterns) t.notThrows(() => rowsOf(pattern), pattern);
});

test('the page of coverage shows what the table and the tests say: npm run generate', (t) => {
  const page = readFileSync(new URL('../spec/COVERAGE.md', import.meta.url), 'utf8');
  t.is(coveragePage(rows, namings), page);
});

test('an id counts for the test that it stands in, and outside of one for none', (t) => {
  const source = [
    "const list = ['SPEC-PUB-01'];",
    "test('a title', async (t) => {",
    "  await desk.ask(t, 'SPEC-PUB-02');",
    "  await refused(t, answer, '409 RACE_OVER');",
    '});',
    "const after = 'SPEC-PUB-03';",
  ].join('\n');
  const found = namingsIn('x.test.ts', source);
  t.deepEqual(
    found.map(({ pattern, title }) => [pattern, title]),
    [
      ['SPEC-PUB-02', 'a title'],
      ['OWN-RACE_OVER', 'a title'],
    ],
  );
  const [row] = rowsOf('SPEC-PUB-02');
  t.is(row && testsOf(row, found).length, 1);
});
