import test from 'ava';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { createMembershipStore } from '../../../infra/postgres/membership-store.ts';
import { openCommitDesk } from '../../support/commit-desk.ts';

const others = 20_000;

test('a claim makes due what was sent by the dead and to them, and reads no other messages', async (t) => {
  const desk = await openCommitDesk();
  t.teardown(() => desk.close());
  const { admin } = desk;
  const own = await desk.claimed();
  const dead = await desk.claimed();
  const { part } = dead.token;
  const sql = createSql({
    url: desk.url,
    applicationName: 'claims',
    role: 'paddock_actor',
    max: 1,
  });
  t.teardown(() => closeSql(sql));
  const members = createMembershipStore(sql);
  const outboxRows = async () => {
    await sql`select pg_stat_force_next_flush()`;
    const [row] = await admin<{ rows: number }[]>`
      select (seq_tup_read + idx_tup_fetch)::integer as rows
      from pg_stat_user_tables where schemaname = 'rt' and relname = 'outbox'`;
    return row?.rows ?? Number.NaN;
  };
  // Plans are made while there is no message yet.
  let { epoch } = own.token;
  for (let time = 0; time < 8; time++) {
    const [claimed] = await members.claimAll([{ ...own.token, epoch }], own.identity);
    epoch = claimed?.epoch ?? Number.NaN;
  }
  const plant = (n: number, from: string, to: number, dueIn = '20 seconds') => admin`
    insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
      headers, body, at, next_at)
    select ${from}, ${from === 'counter' ? part : 0}, ${from} || ' to ' || ${to}::integer || ' ' || n, 's',
      'counter', ${to}, 'evt', '{}', '{}', rt.clock(), rt.clock() + ${dueIn}::text::interval
    from generate_series(1, ${n}) n`;
  await plant(others, 'eval', 999);
  await plant(3, 'counter', 999);
  // Sent again already, by whoever lives.
  await plant(4, 'counter', 998, '8 minutes');
  await plant(2, 'eval', part);
  await dead.members.eject(dead.identity);

  const before = await outboxRows();
  t.is((await members.claimAll([dead.token], own.identity)).length, 1);
  const read = (await outboxRows()) - before;
  t.true(read >= 5 && read < 50, `${read} rows of the outbox were read`);
  const due = await admin`
    select kind, target_part = ${part} as "isGiven", count(*)::integer as count from rt.outbox
    where next_at <= rt.clock() group by 1, 2 order by 1`;
  t.deepEqual(
    [...due],
    [
      { kind: 'counter', isGiven: false, count: 3 },
      { kind: 'eval', isGiven: true, count: 2 },
    ],
  );
});
