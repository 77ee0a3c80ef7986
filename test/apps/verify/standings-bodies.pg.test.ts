import test, { type ExecutionContext } from 'ava';
import { wrongBodies } from '../../../apps/verify/live/checks/standings-bodies.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';
import { addActiveSuite, addRace, addTop, trialId } from '../../support/trial-races.ts';

const hour = 3_600_000;
const epochIndex = 7;
const finisher = (hotkey: string, score: number) => ({
  ...{ miner_hotkey: hotkey, agent_version_id: trialId(hotkey), race_score: score },
});
const [best, middle, last] = [finisher('b', 0.7), finisher('c', 0.65), finisher('d', 0.6)];
const right = { top_hotkey: 'a', t_burn: 0.25, finishers: [best, middle, last] };
const bodyOf = (epoch_standings: object) => ({
  ...{ eligible: true, epoch_index: epochIndex, weight_overlay: {}, epoch_standings },
});

interface World {
  readonly sql: Sql;
  readonly suiteId: number;
  readonly raceId: string;
  readonly madeMs: number;
}

/** A race of yesterday with a top beside its survivors, and standings that were made an hour ago. */
async function openWorld(t: ExecutionContext): Promise<World> {
  const { sql } = await testDatabase(t);
  const suiteId = await addActiveSuite(sql);
  const entrants = [
    ...[best, middle, last].map((each) => ({
      ...{ hotkey: each.miner_hotkey, score: each.race_score.toFixed(4) },
    })),
    { hotkey: 'a', score: '0.6800' },
    { hotkey: 'gone', score: '0.5500', isEliminated: true },
    { hotkey: 'unfinished' },
  ];
  const policy = { burnRateMicro: 250_000 };
  const raceId = await addRace(sql, { suiteId, raceNumber: 1, entrants, policy });
  await addTop(sql, { suiteId, raceId, hotkey: 'a', score: '0.6900', daysAgo: 1 });
  const [row] = await sql<{ part: number; nowMs: number }[]>`
    select part, floor(extract(epoch from rt.clock()) * 1000)::float8 as "nowMs" from race`;
  const { part = 0, nowMs = 0 } = row ?? {};
  await addEvent(sql, {
    ...{ kind: 'race', part, machine: 'race', key: raceId, type: 'RACE_COMPLETED' },
    ...{ atMs: nowMs - 24 * hour, payload: {} },
  });
  return { sql, suiteId, raceId, madeMs: nowMs - hour };
}

interface TrialEvent {
  readonly kind: string;
  readonly part?: number;
  readonly machine: string;
  readonly key: string;
  readonly type: string;
  readonly atMs: number;
  readonly payload: object;
}

async function addEvent(sql: Sql, event: TrialEvent): Promise<void> {
  const { kind, part = 0, machine, key, type, atMs, payload } = event;
  await sql`
    insert into rt.event (kind, part, machine, key, seq, actor_key, type, type_version, payload,
      command_id, account, epoch, at)
    select ${kind}, ${part}, ${machine}, ${key}, count(*) + 1, ${key}, ${type}, 1,
      ${JSON.stringify(payload)}::text::jsonb, 'trial', 'system', 1,
      timestamptz 'epoch' + ${atMs} * interval '1 millisecond'
    from rt.event e
    where e.kind = ${kind} and e.machine = ${machine} and e.key = ${key}`;
}

const discard = (sql: Sql, hotkey: string, atMs: number, type = 'DISCARDED') =>
  addEvent(sql, {
    ...{ kind: 'eval', machine: 'agent-version', key: trialId(hotkey), type, atMs },
    payload: {},
  });

async function order(sql: Sql, action: string, object: string, atMs: number): Promise<void> {
  await sql`
    insert into audit_log
    select count(*) + 1, 'operator:trial', ${action}, ${object}, null, '{}', '', '',
      timestamptz 'epoch' + ${atMs} * interval '1 millisecond'
    from audit_log`;
}

class Done extends Error {}

/** What is found where these standings were made, and this happened. */
async function found(
  { sql, raceId, madeMs }: World,
  standings: object | string,
  happening: (sql: Sql) => Promise<unknown> = async () => undefined,
): Promise<readonly object[]> {
  const body = typeof standings === 'string' ? standings : JSON.stringify(bodyOf(standings));
  let rows: readonly object[] = [];
  const attempt = transaction(sql, {}, async (transacted) => {
    const tx = transacted as unknown as Sql;
    await tx`
      insert into epoch_standings (epoch_index, race_id, body, body_sha256, made_at)
      values (${epochIndex}, ${raceId}, ${body}, '', rt.clock())`;
    await addEvent(tx, {
      ...{ kind: 'emission', machine: 'emission', key: String(epochIndex) },
      ...{ type: 'STANDINGS_MADE', atMs: madeMs, payload: { made: { raceId, at: madeMs } } },
    });
    await happening(tx);
    rows = await wrongBodies(tx);
    throw new Done();
  });
  await attempt.catch((error: unknown) => {
    if (!(error instanceof Done)) throw error;
  });
  return rows;
}

test('standings of another top, burn or tail than the rules make are found', async (t) => {
  const world = await openWorld(t);
  t.deepEqual(await found(world, right), []);
  const wrong: Record<string, object | string> = {
    'no top': { ...right, top_hotkey: null },
    'another top': { ...right, top_hotkey: 'b' },
    'another burn': { ...right, t_burn: 0.2 },
    'the top in the tail': {
      ...right,
      finishers: [best, finisher('a', 0.68), middle, last],
    },
    'an eliminated one': { ...right, finishers: [...right.finishers, finisher('gone', 0.55)] },
    'one that did not finish': {
      ...right,
      finishers: [...right.finishers, finisher('unfinished', 0)],
    },
    'one too few': { ...right, finishers: [best, last] },
    'another order': { ...right, finishers: [middle, best, last] },
    'another score': { ...right, finishers: [best, middle, { ...last, race_score: 0.6001 }] },
    'nobody at all': { ...right, finishers: [] },
    'an overlay': JSON.stringify({ ...bodyOf(right), weight_overlay: { a: 1 } }),
    'another epoch': JSON.stringify({ ...bodyOf(right), epoch_index: 8 }),
    'no JSON': '{',
    'no object': 'null',
  };
  for (const [what, standings] of Object.entries(wrong)) {
    t.is((await found(world, standings)).length, 1, what);
  }
});

test('what happened before counts, and what happened later does not', async (t) => {
  const world = await openWorld(t);
  const { madeMs, suiteId } = world;
  const before = madeMs - hour / 2;
  const later = madeMs + hour / 2;
  const other = `suite/${suiteId + 1}`;
  const withoutTop = {
    ...right,
    ...{ top_hotkey: null, finishers: [best, middle, last] },
  };
  const topInTail = {
    ...right,
    ...{ top_hotkey: null, finishers: [best, finisher('a', 0.68), middle, last] },
  };
  const happenings: readonly [string, object, (sql: Sql, atMs: number) => Promise<unknown>][] = [
    [
      'a survivor is discarded',
      { ...right, finishers: [best, last] },
      (sql, at) => discard(sql, 'c', at),
    ],
    ['the top is discarded', withoutTop, (sql, at) => discard(sql, 'a', at)],
    [
      'a survivor is banned',
      { ...right, finishers: [best, last] },
      (sql, at) => order(sql, 'hotkey.ban', 'hotkey/c', at),
    ],
    ['the top is banned', withoutTop, (sql, at) => order(sql, 'hotkey.ban', 'hotkey/a', at)],
    ['another suite is activated', topInTail, (sql, at) => order(sql, 'suite.activate', other, at)],
    [
      'the reign is over',
      topInTail,
      (sql, at) => sql`
        update top_agent set end_reason = 'DISCARDED',
          ended_at = timestamptz 'epoch' + ${at} * interval '1 millisecond'`,
    ],
  ];
  for (const [what, standings, happen] of happenings) {
    t.deepEqual(await found(world, standings, (sql) => happen(sql, before)), [], what);
    t.is((await found(world, right, (sql) => happen(sql, before))).length, 1, what);
    t.deepEqual(await found(world, right, (sql) => happen(sql, later)), [], what);
    t.is((await found(world, standings, (sql) => happen(sql, later))).length, 1, what);
    // On either side of it, as far as anybody can tell.
    for (const near of [madeMs - 2_000, madeMs + 2_000]) {
      t.deepEqual(await found(world, right, (sql) => happen(sql, near)), [], what);
      t.deepEqual(await found(world, standings, (sql) => happen(sql, near)), [], what);
    }
  }
  const backAgain = async (sql: Sql) => {
    await discard(sql, 'c', before - 60_000);
    await discard(sql, 'c', before, 'REINSTATED');
    await order(sql, 'hotkey.ban', 'hotkey/b', before - 60_000);
    await order(sql, 'hotkey.unban', 'hotkey/b', before);
    await order(sql, 'suite.activate', `suite/${suiteId}`, before);
  };
  t.deepEqual(await found(world, right, backAgain), []);
  // Whoever reigns falls by either, also where its owner hears of it when it was taken back.
  const fallen: Record<string, (sql: Sql, atMs: number) => Promise<unknown>> = {
    async discarded(sql, at) {
      await discard(sql, 'a', at - 60_000);
      await discard(sql, 'a', at, 'REINSTATED');
    },
    async banned(sql, at) {
      await order(sql, 'hotkey.ban', 'hotkey/a', at - 60_000);
      await order(sql, 'hotkey.unban', 'hotkey/a', at);
    },
  };
  for (const [what, happen] of Object.entries(fallen)) {
    t.deepEqual(await found(world, topInTail, (sql) => happen(sql, before)), [], what);
    t.is((await found(world, right, (sql) => happen(sql, before))).length, 1, what);
    const beforeItReigned = madeMs - 30 * hour;
    t.deepEqual(await found(world, right, (sql) => happen(sql, beforeItReigned)), [], what);
  }
});

test('standings are of the latest race that was complete', async (t) => {
  const world = await openWorld(t);
  const { suiteId, madeMs } = world;
  const another = (completedAgo: number) => async (sql: Sql) => {
    const entrants = [{ hotkey: 'b', score: '0.9000' }];
    const raceId = await addRace(sql, { suiteId, raceNumber: 2, entrants, completedAgo });
    const [row] = await sql<{ part: number }[]>`select part from race where race_id = ${raceId}`;
    await addEvent(sql, {
      ...{ kind: 'race', part: row?.part ?? 0, machine: 'race', key: raceId, payload: {} },
      ...{ type: 'RACE_COMPLETED', atMs: madeMs + hour - completedAgo * hour },
    });
  };
  t.is((await found(world, right, another(2))).length, 1);
  t.deepEqual(await found(world, right, another(0.5)), []);
  t.deepEqual(await found(world, right, another(1)), []);
});
