import test from 'ava';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { createOutboxStore } from '../../../infra/postgres/outbox-store.ts';
import { testDatabase } from '../../support/cluster.ts';

const asked = 100;

test('what is due of a pile is found without all that was taken, however the tables were counted', async (t) => {
  const { sql: admin, url } = await testDatabase(t);
  const sql = createSql({ url, applicationName: 'sweep', role: 'paddock_actor', max: 1 });
  t.teardown(() => closeSql(sql));
  const outbox = createOutboxStore(sql);
  await admin`
    insert into rt.inbox (kind, part, consumer, msg_id, at)
    select 'counter', n % 64, case when n <= 5000 then 'projector' else 'cmd' end, gen_random_uuid(),
      rt.clock() - interval '1 day'
    from generate_series(1, 30000) n`;
  await admin`
    insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
      headers, body, at, next_at)
    select 'counter', n % 64, gen_random_uuid(), 's', 'counter', n % 64, 'projector', '{}', '{}',
      rt.clock() - interval '5 hours', rt.clock() - interval '1 minute' + n * interval '1 microsecond'
    from generate_series(1, 20000) n`;
  const takenRows = async () => {
    await sql`select pg_stat_force_next_flush()`;
    const [row] = await admin<{ rows: number }[]>`
      select (seq_tup_read + idx_tup_fetch)::integer as rows
      from pg_stat_user_tables where schemaname = 'rt' and relname = 'inbox'`;
    return row?.rows ?? Number.NaN;
  };

  for (const counted of [false, true]) {
    if (counted) await admin`analyze rt.outbox, rt.inbox`;
    const before = await takenRows();
    t.is((await outbox.takeDue(asked, 30_000)).length, asked);
    const read = (await takenRows()) - before;
    t.true(read <= asked, `${read} rows of the inbox were read, counted: ${counted}`);
  }
});
