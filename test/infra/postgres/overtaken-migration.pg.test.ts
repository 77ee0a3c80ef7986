import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { Sql } from '../../../infra/ports/sql.ts';
import { migrate, migrateDown } from '../../../infra/postgres/migrate.ts';
import { emptyDatabase } from '../../support/cluster.ts';

const [current, former] = [randomUUID(), randomUUID()];

/** As coordinators of migration 0073, and of before, leave their checks. */
async function plantChecks(sql: Sql): Promise<void> {
  await sql`
    insert into inference_credential (miner_hotkey, provider, credential_id, sealed, updated_at)
    values ('alice', 'providera', ${current}, 'x', now())`;
  await sql`
    insert into inference_check
      (miner_hotkey, provider, shown_sha256, begun_at, credential_id, busy_by, ordered_by, overtaken_at)
    values
      ('alice', 'providera', 'asked', now(), null, 'holder', 'order', null),
      ('alice', 'providera', 'overtaken', now(), null, 'other', 'former order', now()),
      ('alice', 'providera', 'stored', now(), ${current}, null, null, null),
      ('alice', 'providera', 'stored all the same', now(), ${current}, null, null, now()),
      ('alice', 'providera', 'replaced since', now(), ${former}, null, null, now())`;
}

const asText = (rows: readonly Record<string, unknown>[]) =>
  rows.map((row) => Object.values(row).filter((value) => value !== null));

test('a check that was overtaken leaves those that coordinators of before store', async (t) => {
  const { url, sql } = await emptyDatabase(t);
  await migrate(url, 73);
  await plantChecks(sql);
  await migrate(url, 74);

  const checks = await sql`
    select shown_sha256, busy_by, ordered_by, credential_id, overtaken_at from inference_check
    order by shown_sha256`;
  t.deepEqual(asText(checks), [
    ['asked', 'holder', 'order'],
    ['stored', current],
    ['stored all the same', current],
  ]);
  const overtaken = await sql`
    select shown_sha256, busy_by, ordered_by from inference_overtaken_check
    where overtaken_at <= now() order by shown_sha256`;
  t.deepEqual(asText(overtaken), [['overtaken', 'other', 'former order'], ['replaced since']]);

  await migrateDown(url, 73);
  const back = await sql`
    select shown_sha256, busy_by, ordered_by from inference_check
    where overtaken_at is not null order by shown_sha256`;
  t.deepEqual(asText(back), asText(overtaken));
});
