import test from 'ava';
import { checkSchema } from '../../../infra/postgres/check-schema.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { migrate } from '../../../infra/postgres/migrate.ts';
import { emptyDatabase } from '../../support/cluster.ts';

test('code that is newer than the schema does not work on it', async (t) => {
  const { url, sql: owner } = await emptyDatabase(t);
  const sql = createSql({ url, applicationName: 'actor', role: 'paddock_actor' });
  t.teardown(() => closeSql(sql));
  const check = () => checkSchema(sql);
  const older = {
    message: /^the database schema is older than this code: 0001_\w+ is missing, and/,
  };

  await migrate(url);
  await t.notThrowsAsync(check);
  // A version after this one may be there already.
  await owner`
    insert into schema_migration (version, name, checksum, applied_at) values (9999, 'x', '', now())`;
  await t.notThrowsAsync(check);
  await owner`delete from schema_migration where version = 9999`;

  const [newest] = await owner<{ version: number; name: string }[]>`
    select version, name from schema_migration order by version desc limit 1`;
  await owner`delete from schema_migration where version = ${newest?.version ?? 0}`;
  await t.throwsAsync(check, {
    message:
      `the database schema is older than this code: ${newest?.name} is missing; ` +
      'run "node infra/with-node.mjs apps/migrate/main.ts" as the database\'s owner first',
  });
  await owner`
    insert into schema_migration (version, name, checksum, applied_at)
    values (${newest?.version ?? 0}, ${newest?.name ?? ''}, '', now())`;

  // It was not to be asked before, and there was a time without any.
  await owner`revoke select (version) on schema_migration from paddock_actor`;
  await t.throwsAsync(check, older);
  await owner`drop table schema_migration`;
  await t.throwsAsync(check, older);
});
