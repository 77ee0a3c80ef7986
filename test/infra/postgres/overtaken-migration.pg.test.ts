import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { Sql } from '../../../infra/ports/sql.ts';
import { migrate, migrateDown } from '../../../infra/postgres/migrate.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { emptyDatabase } from '../../support/cluster.ts';
import { until } from '../../support/until.ts';

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

/** How many are waiting for a lock. */
async function waiting(sql: Sql): Promise<number> {
  const rows = await sql`
    select from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database()`;
  return rows.length;
}

// A coordinator of 0073 goes on marking, and one that asks a provider reads the mark alone.
test('a check that is overtaken while others move stays overtaken', async (t) => {
  const { url, sql } = await emptyDatabase(t);
  await migrate(url, 73);
  await plantChecks(sql);

  const ends = await transaction(sql, {}, async (tx) => {
    await tx`update inference_check set busy_by = null where shown_sha256 = 'overtaken'`;
    const moved = migrate(url, 74);
    await until(async () => (await waiting(sql)) === 1);
    const marked = sql`
      update inference_check set overtaken_at = rt.wall_clock() where shown_sha256 = 'asked'`.then();
    await Promise.race([marked, until(async () => (await waiting(sql)) === 2)]);
    return { moved, marked };
  });
  await Promise.all([ends.moved, ends.marked]);

  const [asked] = await sql<{ isOvertaken: boolean }[]>`
    select exists (select from inference_overtaken_check where shown_sha256 = 'asked')
      or exists (select from inference_check where shown_sha256 = 'asked' and overtaken_at is not null)
      as "isOvertaken"`;
  t.deepEqual(asked, { isOvertaken: true });
});
