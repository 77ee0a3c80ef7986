import test, { type ExecutionContext } from 'ava';
import { countStuck, findStuck, totalStuck } from '../../../actors/services/stuck/find-stuck.ts';
import { stuckOfOutbox, stuckRecords } from '../../../actors/services/stuck/kinds.ts';
import { createStuckWatch } from '../../../actors/services/stuck/stuck.actor.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { testDatabase } from '../../support/cluster.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { eventually } from '../../support/runtime-world.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';
import { until } from '../../support/until.ts';

const piled = 20_000;
const lookedAtMax = 5_000;

/** After hours without a broker; `taken` of them are those whose next try is nearest. */
async function pileUp(sql: Sql, { taken }: { readonly taken: number }): Promise<void> {
  await sql`
    insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
      headers, body, at, next_at)
    select 'counter', n % 64, 'message-' || n, 's', 'counter', n % 64, 'projector', '{}', '{}',
      rt.clock() - interval '5 hours', rt.clock() + n * interval '1 second'
    from generate_series(1, ${piled}::int) n`;
  await sql`
    insert into rt.inbox (kind, part, consumer, msg_id, at)
    select 'counter', n % 64, 'projector', 'message-' || n, rt.clock()
    from generate_series(1, ${taken}::int) n`;
}

const addParked = (sql: Sql) => sql`
  insert into rt.poison (msg_id, subject, headers, body, error, at)
  values ('bad', 'evt.race.1.x', '{}', '{}', 'cannot read', now())`;

async function watched(t: ExecutionContext, sql: Sql) {
  const clock = new ManualClock();
  const gauges = new Map<string, () => number | undefined>();
  const watch = createStuckWatch({
    ...{ sql, clock, log: silentLogger },
    telemetry: {
      gauge: (name, look, attributes) => {
        gauges.set([name, ...Object.values(attributes ?? {})].join(' '), look);
        return () => undefined;
      },
    },
  });
  await watch.start();
  t.teardown(() => watch.stop());
  const shown = (kind: string) => gauges.get(`paddock.stuck ${kind}`)?.();
  const ageOf = (what: string) => gauges.get(`paddock.count.age ${what}`)?.();
  return { clock, shown, ageOf };
}

test('of a pile of messages so many are looked at, and the rest is not denied', async (t) => {
  const { sql: admin, url } = await testDatabase(t);
  const sql = createSql({ url, applicationName: 'look', role: 'paddock_edge', max: 1 });
  t.teardown(() => closeSql(sql));
  const rowsRead = async () => {
    await sql`select pg_stat_force_next_flush()`;
    const [row] = await admin<{ rows: number }[]>`
      select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as rows
      from pg_stat_user_tables where schemaname = 'rt' and relname in ('outbox', 'inbox')`;
    return row?.rows ?? Number.NaN;
  };
  await pileUp(admin, { taken: 1_000 });
  await admin`
    insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
      headers, body, at, next_at)
    values ('svc', 0, 'order', 's', 'race', 1, 'evt', '{}', '{}', rt.clock() - interval '1 hour',
      rt.clock() + interval '1 day')`;

  for (const isCounted of [false, true]) {
    if (isCounted) await admin`analyze rt.outbox, rt.inbox`;
    const before = await rowsRead();
    t.deepEqual(
      [...(await countStuck(sql, stuckOfOutbox)).values()],
      [
        { kind: 'message', count: lookedAtMax - 1_000, isCut: true },
        { kind: 'order', count: 1, isCut: false },
      ],
    );
    const read = (await rowsRead()) - before;
    // Each once, its proof once.
    t.true(read <= 2 * (lookedAtMax + 1), `${read} rows were read, counted: ${isCounted}`);
  }
  const found = await findStuck(sql, 2);
  const orders = found.records.filter(({ kind }) => kind === 'order');
  t.deepEqual(
    orders.map(({ id }) => id),
    ['order'],
  );
  t.like(found, { mayBeMore: true, unknownKinds: [] });
  t.is((await totalStuck(sql)).mayBeMore, true);
});

test('where nobody can look at messages, all else that is stuck is found', async (t) => {
  const { sql } = await testDatabase(t);
  await addParked(sql);
  await sql`alter function rt.outbox_waiting(timestamptz, integer) rename to outbox_waiting_later`;
  const { clock, shown, ageOf } = await watched(t, sql);
  await clock.advance(10_000);
  await until(async () => shown('parked-message') === 1);

  t.is(shown('message'), undefined);
  const ages = await eventually(
    async () => {
      await clock.advance(10_000);
      return { all: ageOf('stuck') ?? 0, messages: ageOf('stuck-messages') ?? 0 };
    },
    ({ all, messages }) => messages >= 30 && all < messages,
  );
  t.true(ages.all < ages.messages);
  const { records, ...found } = await findStuck(sql, 10);
  t.true(records.some(({ kind, id }) => kind === 'parked-message' && id === 'bad'));
  t.like(found, { mayBeMore: true, unknownKinds: ['message', 'order'] });
  t.like(await totalStuck(sql), { total: found.total, mayBeMore: true });

  await sql`alter table rt.poison rename to poison_later`;
  await t.throwsAsync(findStuck(sql, 10), { message: /outbox_waiting|poison/ });
});

test('a pile of which all that was looked at was taken is not told to be well', async (t) => {
  const { sql } = await testDatabase(t);
  await pileUp(sql, { taken: lookedAtMax });
  const { clock, shown } = await watched(t, sql);
  await clock.advance(10_000);
  await until(async () => shown('order') === 0);

  t.is(shown('message'), undefined);
  t.like((await countStuck(sql, stuckOfOutbox)).get('message'), { count: 0, isCut: true });
  t.is((await countStuck(sql, stuckRecords)).get('parked-message')?.count, 0);
  t.is((await findStuck(sql, 10)).mayBeMore, true);

  await sql`delete from rt.outbox where next_at < rt.clock() + interval '4990 seconds'`;
  await clock.advance(10_000);
  await until(async () => (shown('message') ?? 0) > 4_000);
});
