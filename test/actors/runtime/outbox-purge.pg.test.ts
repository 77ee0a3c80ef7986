import test from 'ava';
import type { Transaction } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';

const sent = 800;

/** Messages of which every other one was taken, among many older proofs. */
async function busySecond(sql: Transaction) {
  await sql`
    insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
      headers, body, at, next_at)
    select 'eval', n % 64, 'message-' || n, 'fact', 'service', 0, 'projector', '{}', '{}',
      rt.clock(), rt.clock() + interval '5 seconds'
    from generate_series(1, ${sent}) n`;
  await sql`
    insert into rt.inbox (kind, part, consumer, msg_id, at)
    select 'service', 0, 'projector', 'message-' || n, rt.clock()
    from generate_series(-10_000, ${sent}) n where n % 2 = 0`;
}

// As in the first minutes of an installation, before anybody has counted its rows.
test('messages that were taken go, each found once, by a plan that was made for empty tables', async (t) => {
  const { sql: admin, url } = await testDatabase(t);
  const sql = createSql({ url, applicationName: 'purge', max: 1, role: 'paddock_actor' });
  t.teardown(() => closeSql(sql));
  const purge = async (limit: number) =>
    await transaction(sql, {}, async (tx) => {
      const [row] = await tx<{ count: number }[]>`select rt.outbox_purge(${limit}) as count`;
      const [read] = await tx<{ rows: number }[]>`
        select (seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as rows
        from pg_stat_xact_all_tables where relname = 'outbox'`;
      return { count: row?.count ?? 0, rows: read?.rows ?? 0 };
    });
  for (let time = 0; time < 8; time++) t.is((await purge(1_000)).count, 0);
  await transaction(admin, {}, busySecond);

  t.is((await purge(100)).count, 100);
  const rest = await purge(1_000);
  t.is(rest.count, sent / 2 - 100);
  t.true(rest.rows >= rest.count && rest.rows <= 2 * sent, `${rest.rows} rows were read`);
  const [left] = await admin`
    select count(*)::integer as count, count(*) filter (where right(msg_id, 1) in ('0', '2', '4', '6', '8'))::integer as taken
    from rt.outbox`;
  t.deepEqual(left, { count: sent / 2, taken: 0 });
});

// A stream that is full keeps all of them back for hours, and each coordinator looks every second.
test('messages whose time has not come are not read to find those that are due', async (t) => {
  const { sql: admin, url } = await testDatabase(t);
  const sql = createSql({ url, applicationName: 'sweep', max: 1, role: 'paddock_actor' });
  t.teardown(() => closeSql(sql));
  await admin`
    insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
      headers, body, at, next_at)
    select 'eval', n % 64, 'message-' || n, 'fact', 'service', 0, 'projector', '{}', '{}',
      rt.clock(), rt.clock() + (case n % 1000 when 0 then -1 else 1 end) * interval '1 hour'
    from generate_series(1, 20000) n`;
  await admin`analyze rt.outbox`;

  const seen = await transaction(sql, {}, async (tx) => {
    const due = await tx`select msg_id from rt.outbox_due(100, '1 second')`;
    const [read] = await tx<{ rows: number }[]>`
      select (seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as rows
      from pg_stat_xact_all_tables where relname = 'outbox'`;
    return { due: due.length, rows: read?.rows ?? 0 };
  });

  t.is(seen.due, 20);
  t.true(seen.rows <= 200, `${seen.rows} rows were read`);
});
