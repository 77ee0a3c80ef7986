import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { sources } from './sources.ts';

const root = join(import.meta.dirname, '../..');
const readPage = (path: string) => readFileSync(join(root, path), 'utf8');
const readme = readPage('README.md');

/** The rows of the table that begins with this head, as cells. */
function rowsUnder(head: string, page: string): readonly (readonly string[])[] {
  const [, table = ''] = page.split(`${head}\n`);
  const [rows = ''] = table.split('\n\n');
  return rows
    .split('\n')
    .slice(1)
    .map((line) => line.split('|').map((cell) => cell.trim()));
}

test('a newcomer finishes the README: it stays under 200 lines', (t) => {
  t.true(readme.trimEnd().split('\n').length < 200);
});

/** The newest migration that makes each function of schema rt. */
function homesOfFunctions(): ReadonlyMap<string, string> {
  const made = /\bcreate (?:or replace )?function (rt\.\w+)/g;
  return new Map(
    sources('up.sql').flatMap(({ path, lines }) =>
      [...lines.join('\n').matchAll(made)].map(([, name = '']) => [name, path] as const),
    ),
  );
}

test('a function that the README links is in the file that made it last', (t) => {
  const links = [...readme.matchAll(/`(rt\.\w+)` in\s+\[[^\]]+\]\(([^)]+)\)/g)];
  const homes = homesOfFunctions();

  t.true(links.length > 0);
  for (const [, name = '', path] of links) t.is(path, homes.get(name), name);
});

test('the figures that the README has are those of the whole table', (t) => {
  const all = rowsUnder(
    '| Figure | Ours | Beside | Ratio | Goal |',
    readPage('infra/reference/benchmark.md'),
  );
  const own = rowsUnder('| Figure | Ours | Beside | Ratio | Goal |', readme);

  t.true(own.length > 5);
  for (const row of own) {
    const figures = row.map((cell) => cell.replace(/, missed$/, ''));
    t.deepEqual(
      all.find(([, name]) => name === figures[1]),
      figures,
    );
  }
});
