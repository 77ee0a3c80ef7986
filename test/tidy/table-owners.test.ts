import test from 'ava';
import { codeLines, offences, type Source, source, sources } from './sources.ts';

/** The path of the store that lists each table, from `export const tables = ['run', …]`. */
function ownersOf(files: readonly Source[]): Map<string, string> {
  const owners = new Map<string, string>();
  for (const file of files) {
    const list = /export const tables = \[([^\]]*)\]/.exec(codeLines(file).join('\n'))?.[1] ?? '';
    for (const [, table = ''] of list.matchAll(/'([^']+)'/g)) {
      const other = owners.get(table);
      if (other !== undefined) throw new Error(`${table} is owned by ${other} and by ${file.path}`);
      owners.set(table, file.path);
    }
  }
  return owners;
}

const writing =
  /\b(?:insert\s+into|update|delete\s+from|merge\s+into|truncate)\s+(?:only\s+)?([a-z_.]+)/g;

function foreignWrites(owners: ReadonlyMap<string, string>) {
  return function* (file: Source): Generator<string> {
    // Over line ends, since a clause may stand on its own line.
    for (const [, table = ''] of codeLines(file).join('\n').matchAll(writing)) {
      const owner = owners.get(table);
      if (owner !== undefined && owner !== file.path) yield `writes ${table}, owned by ${owner}`;
    }
  };
}

const product = () => sources('ts').filter(({ path }) => !path.startsWith('test/'));

test('a table is written by the store that owns it', (t) => {
  const owners = ownersOf(product());

  t.true(owners.size > 0);
  t.deepEqual(offences(product(), foreignWrites(owners)), []);
});

test('a write to another store’s table is caught', (t) => {
  const store = source(
    'actors/races/store.ts',
    `export const tables = ['race', 'standing'] as const;`,
  );
  const thief = source('actors/pins/store.ts', 'await sql`\n  update\n    race set phase = 1`;');

  const found = offences([store, thief], foreignWrites(ownersOf([store, thief])));

  t.deepEqual(found, ['actors/pins/store.ts: writes race, owned by actors/races/store.ts']);
});

test('a table with two owners is caught', (t) => {
  const line = `export const tables = ['race'];`;

  t.throws(() => ownersOf([source('actors/a/store.ts', line), source('actors/b/store.ts', line)]));
});
