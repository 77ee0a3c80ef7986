import test from 'ava';
import { ownersOf, tablesWrittenIn } from '../../infra/reference/schema/table-owners.ts';
import { codeLines, offences, type Source, source, sources } from './sources.ts';

const code = (file: Source) => ({ path: file.path, text: codeLines(file).join('\n') });

function foreignWrites(owners: ReadonlyMap<string, string>) {
  return function* (file: Source): Generator<string> {
    for (const table of tablesWrittenIn(code(file).text)) {
      const owner = owners.get(table);
      if (owner !== undefined && owner !== file.path) yield `writes ${table}, owned by ${owner}`;
    }
  };
}

const product = () => sources('ts').filter(({ path }) => !path.startsWith('test/'));

test('a table is written by the store that owns it', (t) => {
  const owners = ownersOf(product().map(code));

  t.true(owners.size > 0);
  t.deepEqual(offences(product(), foreignWrites(owners)), []);
});

test('a write to another store’s table is caught', (t) => {
  const store = source(
    'actors/races/store.ts',
    `export const tables = ['race', 'standing'] as const;`,
  );
  const thief = source('actors/pins/store.ts', 'await sql`\n  update\n    race set phase = 1`;');

  const found = offences([store, thief], foreignWrites(ownersOf([store, thief].map(code))));

  t.deepEqual(found, ['actors/pins/store.ts: writes race, owned by actors/races/store.ts']);
});

test('a table with two owners is caught', (t) => {
  const line = `export const tables = ['race'];`;

  t.throws(() =>
    ownersOf([source('actors/a/store.ts', line), source('actors/b/store.ts', line)].map(code)),
  );
});
