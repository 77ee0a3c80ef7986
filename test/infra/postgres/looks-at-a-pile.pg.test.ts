import test, { type ExecutionContext } from 'ava';
import { readOverview } from '../../../apps/edge/reads/operator.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { createOutboxStore } from '../../../infra/postgres/outbox-store.ts';
import { testDatabase } from '../../support/cluster.ts';

const piled = 60_000;
const counted = 20_000;

/** Of messages that are sent in vain, the later written the sooner tried again, and the last 15,000 for the first time. */
async function openPile(t: ExecutionContext) {
  const { sql: admin, url } = await testDatabase(t);
  const actor = createSql({ url, applicationName: 'sweep', role: 'paddock_actor', max: 1 });
  const edge = createSql({ url, applicationName: 'reads', role: 'paddock_edge', max: 1 });
  t.teardown(() => Promise.all([closeSql(actor), closeSql(edge)]));
  const outbox = createOutboxStore(actor);
  // Plans made for empty tables, as in the first minutes of an installation.
  for (let time = 0; time < 8; time++) {
    await outbox.hasten(2_000, 1_000);
    await outbox.backlog();
    await readOverview(edge);
  }
  await admin`
    insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
      headers, body, at, next_at)
    select 'eval', n % 64, 'message-' || n, 's', 'eval', n % 64, 'projector', '{}', '{}',
      rt.clock() - (${piled}::int - n) * interval '1 second',
      rt.clock() + case when n > ${piled - 15_000}::int then interval '30 seconds'
        else interval '1 hour' - n * interval '10 milliseconds' end
    from generate_series(1, ${piled}::int) n`;
  const rowsReadBy = async (look: () => Promise<unknown>) => {
    const before = await rowsRead();
    await look();
    return (await rowsRead()) - before;
  };
  const rowsRead = async () => {
    await actor`select pg_stat_force_next_flush()`;
    await edge`select pg_stat_force_next_flush()`;
    const [row] = await admin<{ rows: number }[]>`
      select (seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as rows
      from pg_stat_user_tables where schemaname = 'rt' and relname = 'outbox'`;
    return row?.rows ?? Number.NaN;
  };
  return { admin, edge, outbox, rowsReadBy };
}

test('looks at a pile read a part of it, however the table was counted', async (t) => {
  const { admin, edge, outbox, rowsReadBy } = await openPile(t);
  for (const isCounted of [false, true]) {
    if (isCounted) await admin`analyze rt.outbox`;
    const read = {
      hasten: await rowsReadBy(() => outbox.hasten(2_000, 1_000)),
      backlog: await rowsReadBy(() => outbox.backlog()),
      overview: await rowsReadBy(() => readOverview(edge)),
    };
    // Each message that is hastened is found and then written, past those that were, which nobody has swept up yet.
    t.true(read.hasten <= 5_000, `${JSON.stringify(read)}, counted: ${isCounted}`);
    t.true(read.backlog <= counted + 5_000, `${JSON.stringify(read)}, counted: ${isCounted}`);
    t.true(read.overview <= counted + 5_000, `${JSON.stringify(read)}, counted: ${isCounted}`);
  }
});

test('of a pile it is said how much waits at the least, and for how long', async (t) => {
  const { admin, edge, outbox } = await openPile(t);
  const { pending, oldestAgeMs } = await outbox.backlog();
  t.is(pending, counted);
  t.true(oldestAgeMs >= (piled - 1) * 1_000, `${oldestAgeMs} ms`);
  const overview = await readOverview(edge);
  t.like(overview, { outboxPending: counted, mayMoreBePending: true });

  await admin`delete from rt.outbox where msg_id not in ('message-7', 'message-59000')`;
  t.is((await outbox.backlog()).pending, 2);
  const [oldest] = await admin<{ at: Date }[]>`select min(at) as at from rt.outbox`;
  t.deepEqual((await readOverview(edge)).outboxOldestAt, oldest?.at);
  t.like(await readOverview(edge), { outboxPending: 2, mayMoreBePending: false });

  await admin`delete from rt.outbox`;
  t.deepEqual(await outbox.backlog(), { pending: 0, oldestAgeMs: 0 });
  t.like(await readOverview(edge), {
    ...{ outboxPending: 0, outboxOldestAt: null, mayMoreBePending: false },
  });
});

test('hastened is first what would wait longest', async (t) => {
  const { admin, outbox } = await openPile(t);
  t.is(await outbox.hasten(2_000, 1_000), 1_000);
  const [due] = await admin<{ count: number; newest: number }[]>`
    select count(*)::integer as count, max(split_part(msg_id, '-', 2)::integer) as newest
    from rt.outbox where next_at < rt.clock() + interval '5 seconds'`;
  t.deepEqual({ ...due }, { count: 1_000, newest: 1_000 });
});
