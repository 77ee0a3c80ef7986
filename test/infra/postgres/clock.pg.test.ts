import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { requireRealClock } from '../../../apps/require-real-clock.ts';
import type { FollowerReport } from '../../../infra/ports/clock-follower.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { createClockStore, readClock, simulateClock } from '../../../infra/postgres/clock-store.ts';
import { createOutboxStore } from '../../../infra/postgres/outbox-store.ts';
import { testDatabase } from '../../support/cluster.ts';

interface Step {
  readonly isDone: boolean;
  readonly isNews: boolean;
  readonly round: number;
  readonly atMs: number;
  readonly waitsFor: string | null;
}

async function open(t: ExecutionContext) {
  const { url, sql: admin } = await testDatabase(t);
  const as = (role: 'paddock_actor' | 'paddock_edge' | 'paddock_service') => {
    const sql = createSql({ url, applicationName: 'clock', role, max: 2 });
    t.teardown(() => closeSql(sql));
    return sql;
  };
  return {
    admin,
    actor: as('paddock_actor'),
    edge: as('paddock_edge'),
    service: as('paddock_service'),
  };
}

async function step(sql: Sql, targetMs: number): Promise<Step> {
  const [row] = await sql<Step[]>`
    select is_done as "isDone", is_news as "isNews", now_round::int as round,
      extract(epoch from clock_at)::float8 * 1000 as "atMs", waits_for as "waitsFor"
    from rt.step_clock(timestamptz 'epoch' + ${targetMs} * interval '1 millisecond')`;
  if (row === undefined) throw new Error('no step');
  return row;
}

const nowMs = async (sql: Sql) => {
  const [row] = await sql<{ nowMs: number }[]>`
    select extract(epoch from rt.clock())::float8 * 1000 as "nowMs"`;
  return row?.nowMs ?? 0;
};

const begin = async (sql: Sql, seconds: number) => {
  const [row] = await sql<{ targetMs: number | null }[]>`
    select floor(extract(epoch from rt.begin_advance(${seconds})) * 1000)::float8 as "targetMs"`;
  return row?.targetMs ?? undefined;
};

/** A simulated database with one coordinator that owns `eval` 0 and 1 and is at rest. */
async function withCoordinator(t: ExecutionContext) {
  const opened = await open(t);
  const { admin, actor, service } = opened;
  await simulateClock(actor);
  const incarnation = randomUUID();
  await admin`delete from rt.partition where kind <> 'eval' or part > 1`;
  await admin`select rt.join('c', ${incarnation}::uuid, interval '1 minute', 1, array['eval'])`;
  await admin`update rt.partition set owner = 'c', incarnation = ${incarnation}, epoch = part + 1`;
  const tell = async (changes: Partial<FollowerReport> = {}) => {
    const { offsetUs, round } = await readClock(service);
    const rest = { process: 'c', incarnation, isIdle: true, nextDueMs: null };
    const served = { partitions: 2, epochSum: 3 };
    await createClockStore(actor).report({ ...rest, ...served, offsetUs, round, ...changes });
  };
  return { ...opened, incarnation, tell };
}

test('a database that nobody marked keeps the real clock, whoever tries', async (t) => {
  const { admin, edge, service } = await open(t);
  const [before] = await admin<{ body: string }[]>`
    select prosrc as body from pg_proc where oid = 'rt.clock'::regproc`;
  t.is(before?.body.trim(), 'select clock_timestamp()');

  t.is(await begin(service, 60), undefined);
  await t.throwsAsync(step(service, Date.now() + 60_000), { message: /is real/ });
  for (const sql of [edge, service]) {
    await t.throwsAsync(sql`select rt.simulate_clock()`, { message: /permission denied/ });
    await t.throwsAsync(sql`update rt.clock_offset set offset_us = 1`, {
      message: /permission denied/,
    });
  }
  t.deepEqual(await readClock(edge), { offsetUs: 0, round: 0 });
  await t.notThrowsAsync(requireRealClock(edge));
});

test('a database on which coordinators run by the real clock is not simulated', async (t) => {
  const { admin, actor } = await open(t);
  await admin`select rt.join('c', gen_random_uuid(), interval '1 minute', 1, array['eval'])`;
  t.false(await simulateClock(actor));

  await admin`update rt.member set lease_until = clock_timestamp()`;
  t.true(await simulateClock(actor));
  t.true(await simulateClock(actor), 'and again by the next coordinator');
});

test('a moved database is refused by processes on the real clock', async (t) => {
  const { admin, edge, tell, service } = await withCoordinator(t);
  await t.notThrowsAsync(requireRealClock(edge));
  const target = (await begin(service, 3_600)) ?? 0;
  for (let round = 0; round < 2; round++) {
    await tell();
    await step(service, target);
  }

  await t.throwsAsync(requireRealClock(edge), { message: /CLOCK is real, but .* 3600 s ahead/ });
  const [ahead] = await admin<{ seconds: number }[]>`
    select extract(epoch from rt.clock() - rt.wall_clock())::float8 as seconds`;
  t.true(Math.abs((ahead?.seconds ?? 0) - 3_600) < 5);
});

test('the clock stops at what is due on its way, and asks twice before each move', async (t) => {
  const { service, tell } = await withCoordinator(t);
  const startMs = await nowMs(service);
  const target = (await begin(service, 3_600)) ?? 0;
  const dueMs = Math.floor(startMs + 600_000);

  await tell({ nextDueMs: dueMs });
  const asked = await step(service, target);
  t.true(asked.isNews && asked.atMs < dueMs);
  t.is((await step(service, target)).waitsFor, 'a process to hear of it');
  await tell({ nextDueMs: dueMs });
  const moved = await step(service, target);
  t.true(
    moved.isNews && moved.atMs >= dueMs && moved.atMs < dueMs + 1_000,
    `${moved.atMs - dueMs}`,
  );

  await tell({ nextDueMs: dueMs });
  t.is((await step(service, target)).waitsFor, 'due work');
  for (let round = 0; round < 2; round++) {
    await tell({ nextDueMs: Math.floor(target) + 60_000 });
    t.false((await step(service, target)).isDone);
  }
  t.true((await nowMs(service)) >= target);
  for (const isDone of [false, true]) {
    await tell({ nextDueMs: Math.floor(target) + 60_000 });
    t.is((await step(service, target)).isDone, isDone);
  }
});

test('the clock waits for whatever is not at rest', async (t) => {
  const { admin, service, tell } = await withCoordinator(t);
  const target = (await begin(service, 3_600)) ?? 0;
  const waitsFor = async () => (await step(service, target)).waitsFor;

  t.is(await waitsFor(), 'a coordinator');
  await tell({ isIdle: false });
  t.is(await waitsFor(), 'due work');
  await tell({ epochSum: 2 });
  t.is(await waitsFor(), 'an owner of each partition');
  await tell();
  await admin`update rt.partition set incarnation = gen_random_uuid() where part = 1`;
  t.is(await waitsFor(), 'an owner of each partition');
  await tell({ partitions: 1, epochSum: 1 });
  t.is(await waitsFor(), 'an owner of each partition', 'of another one that is silent');
  await admin`
    update rt.partition set incarnation = (select incarnation from rt.partition where part = 0)`;
  await tell();
  await admin`
    insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
                           headers, body, at, next_at)
    values ('eval', 0, 'm', 'evt.eval.1.x', 'eval', 1, 'evt', '{}', '{}', now(), now())`;
  t.is(await waitsFor(), 'messages under way');
  await admin`
    insert into rt.inbox (kind, part, consumer, msg_id, at) values ('eval', 1, 'evt', 'm', now())`;
  t.is(await waitsFor(), null);
});

test('an edge that has not heard of the last move holds up the next one', async (t) => {
  const { actor, admin, service, tell } = await withCoordinator(t);
  const target = (await begin(service, 60)) ?? 0;
  const edge = { process: 'e', incarnation: null, isIdle: true, nextDueMs: null };
  const store = createClockStore(actor);
  await store.report({ ...edge, offsetUs: 0, round: 0, partitions: 0, epochSum: 0 });
  for (let round = 0; round < 2; round++) {
    await tell();
    t.true((await step(service, target)).isNews);
  }

  await tell();
  t.is((await step(service, target)).waitsFor, 'a process to hear of it');
  await admin`update rt.clock_follower set seen_at = seen_at - interval '3 seconds' where process = 'e'`;
  t.is((await step(service, target)).waitsFor, null, 'a silent one counts no more');
});

test('advances add up, and the clock never goes back', async (t) => {
  const { service, tell } = await withCoordinator(t);
  const first = (await begin(service, 100)) ?? 0;
  const second = (await begin(service, 100)) ?? 0;
  t.is(Math.round((second - first) / 1_000), 100);
  const arrive = async (target: number) => {
    for (let isDone = false; !isDone; ) {
      await tell();
      isDone = (await step(service, target)).isDone;
    }
  };
  await arrive(second);
  const there = await nowMs(service);
  await arrive(first);
  t.true((await nowMs(service)) >= there);
});

test('membership goes by the wall clock', async (t) => {
  const { admin, actor, service, tell, incarnation } = await withCoordinator(t);
  const target = (await begin(service, 86_400)) ?? 0;
  for (let round = 0; round < 2; round++) {
    await tell();
    await step(service, target);
  }

  const [renewed] = await actor<{ at: Date | null }[]>`
    select rt.renew('c', ${incarnation}::uuid, interval '1 minute') as at`;
  t.true(Math.abs((renewed?.at?.getTime() ?? 0) - Date.now()) < 10_000);
  const [claimed] = await actor<{ at: Date }[]>`
    select claimed_at as at from rt.claim('eval', 0, 1, 'c', ${incarnation}::uuid)`;
  t.true((claimed?.at.getTime() ?? 0) >= target, 'but what is decided goes by the moved one');
  const [others] = await admin<{ living: number }[]>`
    select count(*)::int as living from rt.member where lease_until > rt.wall_clock()`;
  t.is(others?.living, 1);
});

test('proofs outlive their messages, and every message where the clock is simulated', async (t) => {
  const plant = (sql: Sql) => sql`
    with sent as (
      insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
                             headers, body, at, next_at)
      values ('svc', 0, 'kept', 'evt.eval.1.x', 'eval', 1, 'evt', '{}', '{}', now(), now()))
    insert into rt.inbox (kind, part, consumer, msg_id, at)
    select 'eval', 1, 'evt', id, now() - interval '30 days' from unnest(array['kept', 'gone']) as id`;
  const left = async (sql: Sql) =>
    (await sql<{ id: string }[]>`select msg_id as id from rt.inbox order by 1`).map(({ id }) => id);
  const weekMs = 7 * 86_400_000;

  const real = await open(t);
  await plant(real.admin);
  t.is(await createOutboxStore(real.actor).expireProofs(weekMs, 100), 1);
  t.deepEqual(await left(real.admin), ['kept']);

  const simulated = await open(t);
  await simulateClock(simulated.actor);
  await plant(simulated.admin);
  t.is(await createOutboxStore(simulated.actor).expireProofs(weekMs, 100), 0);
  t.deepEqual(await left(simulated.admin), ['gone', 'kept']);
});
