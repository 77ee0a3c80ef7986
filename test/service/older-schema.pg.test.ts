import test from 'ava';
import { testDatabase } from '../support/cluster.ts';
import { startTestService } from '../support/edge.ts';

test('no coordinator works on a schema that is older than its code', async (t) => {
  const database = await testDatabase(t);
  await database.sql`
    delete from schema_migration where version = (select max(version) from schema_migration)`;
  await t.throwsAsync(startTestService({ database }), {
    message: /^the database schema is older than this code/,
  });
});
