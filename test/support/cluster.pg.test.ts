import test from 'ava';
import { emptyDatabase, testDatabase } from './cluster.ts';

test('a test database has the newest schema', async (t) => {
  const { sql } = await testDatabase(t);

  const applied = await sql<{ version: number }[]>`select version from schema_migration`;

  t.true(applied.length > 0);
});

test('two test databases share no rows', async (t) => {
  const [one, other] = await Promise.all([testDatabase(t), testDatabase(t)]);
  await one.sql`create table mine (id integer primary key)`;

  const found = await other.sql`select tablename from pg_tables where tablename = 'mine'`;

  t.is(found.length, 0);
});

test('an empty database has no schema of ours', async (t) => {
  const { sql } = await emptyDatabase(t);

  const tables = await sql`select tablename from pg_tables where schemaname = 'public'`;

  t.is(tables.length, 0);
});
