import test, { type ExecutionContext } from 'ava';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { createOutboxStore } from '../../../infra/postgres/outbox-store.ts';
import { testDatabase } from '../../support/cluster.ts';

const piled = 20_000;
const pages = 20;

/** Of which every hundredth was taken. */
async function openPile(t: ExecutionContext) {
  const { sql: admin, url } = await testDatabase(t);
  const sql = createSql({ url, applicationName: 'sweep', role: 'paddock_actor', max: 1 });
  t.teardown(() => closeSql(sql));
  const outbox = createOutboxStore(sql);
  // A plan made for empty tables, as in the first minutes of an installation.
  for (let time = 0; time < 8; time++) await outbox.purgeProven({ fromPage: 0, pages });
  await admin`
    insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
      headers, body, at, next_at)
    select 'counter', n % 64, 'message-' || n, 's', 'counter', n % 64, 'projector', '{}', '{}',
      rt.clock() - interval '5 hours', rt.clock()
    from generate_series(1, ${piled}::int) n`;
  await admin`
    insert into rt.inbox (kind, part, consumer, msg_id, at)
    select 'counter', n % 64, 'projector', 'message-' || n, rt.clock()
    from generate_series(1, ${piled}::int) n where n % 100 = 0`;
  const rowsRead = async () => {
    await sql`select pg_stat_force_next_flush()`;
    const [row] = await admin<{ rows: number }[]>`
      select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as rows
      from pg_stat_user_tables where schemaname = 'rt' and relname in ('outbox', 'inbox')`;
    return row?.rows ?? Number.NaN;
  };
  return { admin, outbox, rowsRead };
}

test('a look at a pile reads a stretch of it, whose messages that were taken are gone then', async (t) => {
  const { admin, outbox, rowsRead } = await openPile(t);
  // A page has 8,192 bytes, and a message more than 100.
  const mostInStretch = pages * 80;

  for (const counted of [false, true]) {
    if (counted) await admin`analyze rt.outbox, rt.inbox`;
    const before = await rowsRead();
    const { purged } = await outbox.purgeProven({ fromPage: 2 * pages, pages });
    const read = (await rowsRead()) - before;
    if (!counted) t.true(purged >= 5 && purged <= mostInStretch / 100, `${purged} were purged`);
    t.true(read <= 2 * mostInStretch, `${read} rows were read, counted: ${counted}`);
  }
});

test('stretch after stretch goes round a pile, and keeps what nobody took', async (t) => {
  const { admin, outbox } = await openPile(t);
  let fromPage = 0;
  let total = 0;
  do {
    const { purged, nextPage } = await outbox.purgeProven({ fromPage, pages });
    total += purged;
    t.true(nextPage === 0 || nextPage === fromPage + pages);
    fromPage = nextPage;
  } while (fromPage !== 0);

  t.is(total, piled / 100);
  const [left] = await admin<{ count: number }[]>`select count(*)::integer as count from rt.outbox`;
  t.is(left?.count, piled - piled / 100);
  t.deepEqual(await outbox.purgeProven({ fromPage: 1_000_000, pages }), { purged: 0, nextPage: 0 });
});
