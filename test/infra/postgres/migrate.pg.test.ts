import test from 'ava';
import type { Sql } from '../../../infra/ports/sql.ts';
import { checkServer } from '../../../infra/postgres/check-server.ts';
import { migrate, migrateDown, readMigrations } from '../../../infra/postgres/migrate.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { emptyDatabase } from '../../support/cluster.ts';
import { until } from '../../support/until.ts';

// For every n: going from n to n+1 and back leaves the catalogue as it was at n.
test('every migration can be taken back without a trace', async (t) => {
  const { url, sql } = await emptyDatabase(t);
  const migrations = await readMigrations();
  for (const { version, name } of migrations) {
    const before = await catalogue(sql);
    await migrate(url, version);
    t.notDeepEqual(await catalogue(sql), before, name);
    await migrateDown(url, version - 1);
    t.deepEqual(differences(before, await catalogue(sql)), [], name);
    await migrate(url, version);
  }
});

test('migrating twice at once changes once', async (t) => {
  const { url } = await emptyDatabase(t);

  const done = await Promise.all([migrate(url), migrate(url)]);

  const migrations = await readMigrations();
  t.deepEqual(
    done.flat(),
    migrations.map(({ name }) => name),
  );
});

test('whoever loses the lock of migrations changes nothing any more', async (t) => {
  const { url, sql } = await emptyDatabase(t);
  await migrate(url, 1);
  const holder = async () => {
    const [row] = await sql<{ pid: number }[]>`
      select pid from pg_locks
      where locktype = 'advisory' and granted
        and database = (select oid from pg_database where datname = current_database())`;
    return row?.pid;
  };
  const isHeldUp = async () => {
    const rows = await sql`
      select from pg_locks
      where not granted and relation = 'schema_migration'::regclass`;
    return rows.length === 1;
  };

  const second = await transaction(sql, {}, async (tx) => {
    await tx`select set_config('idle_in_transaction_session_timeout', '0', true)`;
    await tx`lock table schema_migration in exclusive mode`;
    const migrated = migrate(url, 2).then(String, String);
    await until(isHeldUp);
    await sql`select pg_terminate_backend(${(await holder()) ?? 0})`;
    await until(async () => (await holder()) === undefined);
    return () => migrated;
  });

  t.notRegex(await second(), /^0002/);
  const applied = await sql<{ version: number }[]>`select version from schema_migration`;
  t.deepEqual([...applied], [{ version: 1 }]);
});

test('a migration that waits for a reader lets others pass, and says for whom it waits', async (t) => {
  const { url, sql } = await emptyDatabase(t);
  await migrate(url, 1);
  const said: string[] = [];

  const migrated = await transaction(sql, {}, async (tx) => {
    await tx`select set_config('idle_in_transaction_session_timeout', '0', true)`;
    await tx`lock table schema_migration in exclusive mode`;
    const [{ pid } = { pid: 0 }] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
    const done = migrate(url, 2, (line) => void said.push(line));
    await until(() => said.length > 0);
    t.regex(said[0] ?? '', /^0002_domain waits for a lock, and is tried again; the oldest work /);
    t.true(said[0]?.includes(`pid ${pid},`), said[0]);
    return () => done;
  });

  t.deepEqual(await migrated(), ['0002_domain']);
  t.is(said.at(-1), 'applied 0002_domain');
});

test('whoever migrates beside another says that he waits', async (t) => {
  const { url, sql } = await emptyDatabase(t);
  await migrate(url, 1);
  const said: string[] = [];

  const migrated = await transaction(sql, {}, async (tx) => {
    await tx`select set_config('idle_in_transaction_session_timeout', '0', true)`;
    await tx`select pg_advisory_xact_lock(7220401)`;
    const done = migrate(url, 2, (line) => void said.push(line));
    await until(() => said.length > 0);
    return () => done;
  });

  t.deepEqual(await migrated(), ['0002_domain']);
  t.is(said[0], 'another process migrates this database; waiting for it');
});

test('a migration that fails is named, and says that nothing of it was kept', async (t) => {
  const { url, sql } = await emptyDatabase(t);
  await migrate(url, 1);
  await sql`create table suite (in_the_way integer)`;

  const error = await t.throwsAsync(migrate(url, 2), { message: /^migration 0002_domain failed/ });

  t.regex(String(error?.cause), /relation "suite" already exists/);
  await sql`drop table suite`;
  t.deepEqual(await migrate(url, 2), ['0002_domain']);
});

test('a database of a newer version is left as it is, and one of other files refused', async (t) => {
  const { url, sql } = await emptyDatabase(t);
  await migrate(url);
  await sql`insert into schema_migration (version, name, checksum, applied_at)
            values (9999, '9999_future', '', now())`;
  const said: string[] = [];
  t.deepEqual(await migrate(url, undefined, (line) => void said.push(line)), []);
  t.deepEqual(said, ["the schema is a newer version's, with migration 9999, and is left as it is"]);

  await sql`update schema_migration set version = 40 where version = 42`;
  await t.throwsAsync(migrate(url), { message: /which this code does not know/ });
  await sql`update schema_migration set version = 42 where version = 40`;

  await sql`delete from schema_migration where version = 9999`;
  await sql`update schema_migration set checksum = 'other' where version = 1`;
  await t.throwsAsync(migrate(url), { message: /0001_runtime was changed/ });
});

test('a server that may forget what it acknowledged is refused', async (t) => {
  const { sql } = await emptyDatabase(t);

  await t.throwsAsync(checkServer(sql), { message: /fsync is off/ });
  await t.notThrowsAsync(checkServer(sql, { allowUnsafeWrites: true }));
});

function differences(before: readonly string[], after: readonly string[]): readonly string[] {
  return [
    ...before.filter((line) => !after.includes(line)).map((line) => `gone: ${line}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `left behind: ${line}`),
  ];
}

/** Everything a migration can change, as text. */
async function catalogue(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ line: string }[]>`
    select format('column %s.%s.%s %s %s %s', table_schema, table_name, column_name, data_type,
                  is_nullable, column_default) as line
    from information_schema.columns
    where table_schema in ('public', 'rt') and table_name <> 'schema_migration'
    union all
    select format('constraint %s %s', conrelid::regclass, pg_get_constraintdef(oid))
    from pg_constraint where connamespace::regnamespace::text in ('public', 'rt')
      and conrelid::regclass::text <> 'schema_migration'
    union all
    select indexdef from pg_indexes
    where schemaname in ('public', 'rt') and tablename <> 'schema_migration'
    union all
    select format('options %s %s', oid::regclass, reloptions) from pg_class
    where relnamespace::regnamespace::text in ('public', 'rt') and reloptions is not null
    union all
    select format('function %s %s %s', oid::regprocedure, prosrc, (
      select string_agg(grantee::text, ',' order by grantee)
      from aclexplode(coalesce(proacl, acldefault('f', proowner)))))
    from pg_proc where pronamespace::regnamespace::text in ('public', 'rt')
    union all
    select format('trigger %s', pg_get_triggerdef(oid)) from pg_trigger where not tgisinternal
    union all
    select format('grant %s %s', oid::regclass, array(select x::text from unnest(relacl) x order by 1))
    from pg_class where relnamespace::regnamespace::text in ('public', 'rt')
      and relname not like 'schema_migration%' and array_to_string(relacl, ',') like '%paddock%'
    union all
    select format('schema %s %s', nspname, nspacl)
    from pg_namespace where array_to_string(nspacl, ',') like '%paddock%'
    union all
    select format('column grant %s.%s %s', attrelid::regclass, attname, attacl)
    from pg_attribute where attacl is not null and attrelid::regclass::text not like 'pg_%'
    union all
    select format('default %s', array(select x::text from unnest(defaclacl) x order by 1))
    from pg_default_acl
    order by line`;
  return rows.map((row) => row.line);
}
