import test, { type ExecutionContext } from 'ava';
import { completeRace } from '../../../machines/race/complete-race.ts';
import type { RaceInputs } from '../../../machines/race/field.ts';
import { racePolicy } from '../../../machines/race/policy.ts';
import { holdLock, type Take } from '../../support/held-lock.ts';
import { type Done, hourMs, openRaceDesk, type RaceDesk } from '../../support/race-desk.ts';
import {
  ban,
  discard,
  facts,
  raceAt,
  runToEnd,
  runToStart,
  seedSuite,
  seedVersion,
  seedWork,
  switchTo,
  type Work,
} from '../../support/race-seeds.ts';
import { until } from '../../support/until.ts';

/** A race that runs, with as many entrants as named; their versions by hotkey. */
async function runningDesk(t: ExecutionContext, hotkeys: readonly string[]) {
  const desk = await openRaceDesk(t);
  await seedSuite(desk.sql);
  const versions = new Map<string, string>();
  for (const hotkey of hotkeys) versions.set(hotkey, await seedVersion(desk.sql, { hotkey }));
  const raceId = await runToStart(desk);
  return { desk, raceId, versions, sql: desk.sql };
}

function workOf(versions: ReadonlyMap<string, string>, byHotkey: Record<string, Work>) {
  return new Map(
    Object.entries(byHotkey).map(([hotkey, work]) => [versions.get(hotkey) ?? '', work]),
  );
}

const success = (micro: number): Work => ({ micro: [micro, micro] });

async function entrantRows({ sql }: RaceDesk, raceId: string) {
  return await sql`
    select agent_version_id as "agentVersionId", miner_hotkey as "minerHotkey",
           race_score::text as "rawScore", score_low::text as "scoreLow",
           score_high::text as "scoreHigh", weighted_score::text as "weightedScore",
           race_rank as rank, is_eliminated as "isEliminated",
           unfinished_reason as "unfinishedReason"
    from race_entrant where race_id = ${raceId}
    order by race_rank nulls last, agent_version_id`;
}

/** The rules on the inputs of the end. Afterwards only the top differs: then there was none. */
async function resultsByRule({ sql, nowMs }: RaceDesk, raceId: string) {
  const [row] = await sql<{ inputs: RaceInputs; policy: unknown }[]>`
    select rt.race_results(race_id) as inputs, policy from race where race_id = ${raceId}`;
  if (row === undefined) throw new Error('no race');
  const results = completeRace({ ...row.inputs, top: null }, racePolicy.parse(row.policy), nowMs);
  if (results.kind !== 'complete') throw new Error('nobody finished');
  return results;
}

/** Everything that an end may write, to be compared before and after. */
async function everything({ sql }: RaceDesk) {
  const [row] = await sql<{ digest: string }[]>`
    select md5(concat(
      (select jsonb_agg(to_jsonb(r) order by race_id) from race r),
      (select jsonb_agg(to_jsonb(e) order by race_id, agent_version_id) from race_entrant e),
      (select jsonb_agg(to_jsonb(m) order by race_id, position) from race_emission m),
      (select jsonb_agg(to_jsonb(p) order by top_id) from top_agent p),
      (select jsonb_agg(to_jsonb(v) order by agent_version_id) from agent_version v),
      (select jsonb_agg(to_jsonb(x) order by key, seq) from rt.event x),
      (select jsonb_agg(o.msg_id order by msg_id) from rt.outbox o))) as digest`;
  return row?.digest;
}

test('the end of a race writes what the rules make of its runs, in one commit', async (t) => {
  const hotkeys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const { desk, raceId, versions, sql } = await runningDesk(t, hotkeys);
  const work = workOf(versions, {
    a: { micro: [610_000, 590_000] },
    b: success(550_000),
    c: success(500_000),
    d: success(450_000),
    e: success(400_000),
    f: success(350_000),
    g: 'agent-fault',
    h: 'platform-fault',
  });
  await runToEnd(desk, raceId, work);
  const rule = await resultsByRule(desk, raceId);
  t.deepEqual(
    [...(await entrantRows(desk, raceId))].map((row) => ({ ...row })),
    rule.entrants.map(({ window: _, ...each }) => each),
  );
  const [race] = await sql`
    select status, top50_mean::text as anchor, top50_std::text as std, scored_count as scored,
           winner_agent_version_id as winner, promoted_agent_version_id as promoted,
           winner_score::text as score, margin,
           rt.milliseconds(released_at)::float8 - rt.milliseconds(completed_at)::float8 as embargo
    from race where race_id = ${raceId}`;
  t.like(race, {
    status: 'RACE_COMPLETE',
    anchor: '0.5500',
    std: '0.0408',
    scored: 6,
    winner: versions.get('a'),
    promoted: versions.get('a'),
    score: rule.winner.score,
    margin: null,
    embargo: 6 * hourMs,
  });
  // ⌊0.65 × 6⌋ of the finishers and the one at fault.
  const gone = await sql<{ hotkey: string }[]>`
    select miner_hotkey as hotkey from agent_version
    where eliminated_at is not null and eliminated_in_race_number = 1 order by 1`;
  t.deepEqual(
    gone.map(({ hotkey }) => hotkey),
    ['d', 'e', 'f', 'g'],
  );
  t.like(await raceAt(sql, 2), { status: 'QUALIFYING_OPEN' });
  const [top] = await sql`select agent_version_id as id, score::text, ended_at from top_agent`;
  t.deepEqual({ ...top }, { id: versions.get('a'), score: rule.winner.score, ended_at: null });
});

test('a race waits for the last of its work, and then needs no message', async (t) => {
  const { desk, raceId, versions, sql } = await runningDesk(t, ['a', 'b']);
  const [a = '', b = ''] = versions.values();
  await seedWork(sql, raceId, a, success(700_000));
  await desk.send('work-changed', { raceId, agentVersionId: a });
  t.like(await raceAt(sql, 1), { status: 'RACE_RUNNING' });
  await seedWork(sql, raceId, b, 'open');
  desk.nowMs += hourMs;
  t.deepEqual(await desk.tick(), ['look-at-work']);
  t.like(await raceAt(sql, 1), { status: 'RACE_RUNNING' });
  await sql`
    update work_item set state = 'CLOSED', closed_at = now() where agent_version_id = ${b}`;
  desk.nowMs += hourMs;
  await desk.tick();
  t.like(await raceAt(sql, 1), { status: 'RACE_COMPLETE', scoredCount: 1, winnerId: a });
});

test('at its limit a race ends with whoever finished, and spares who was not at fault', async (t) => {
  const { desk, raceId, versions, sql } = await runningDesk(t, ['a', 'b']);
  const [a = '', b = ''] = versions.values();
  await seedWork(sql, raceId, a, success(300_000));
  await seedWork(sql, raceId, b, 'open');
  desk.nowMs = (desk.nextDueMs() ?? 0) - 1;
  await desk.tick();
  t.like(await raceAt(sql, 1), { status: 'RACE_RUNNING' });
  desk.nowMs += 1;
  t.deepEqual(await desk.tick(), ['complete-due']);
  t.like(await raceAt(sql, 1), { status: 'RACE_COMPLETE', winnerId: a });
  const rows = await entrantRows(desk, raceId);
  t.like(rows[1], { agentVersionId: b, unfinishedReason: 'NOT_FINISHED', isEliminated: false });
});

test('a second end, a redelivery and a new owner change nothing', async (t) => {
  const { desk, raceId, versions } = await runningDesk(t, ['a', 'b', 'c']);
  const work = workOf(versions, { a: success(9), b: success(8), c: success(7) });
  for (const [versionId, each] of work) await seedWork(desk.sql, raceId, versionId, each);
  const nudge = { raceId, agentVersionId: versions.get('a') };
  await desk.send('work-changed', nudge, { id: 'the last one' });
  t.like(await raceAt(desk.sql, 1), { status: 'RACE_COMPLETE' });
  const before = await everything(desk);
  const again = await desk.send('work-changed', nudge, { id: 'the last one' });
  t.is(again.outcome?.kind, 'duplicates');
  await desk.send('work-changed', nudge);
  await desk.takeOver();
  await desk.send('work-changed', nudge);
  await desk.tick();
  t.is(await everything(desk), before);
});

test('a new owner at every step comes to the same end', async (t) => {
  const ends = [];
  for (const isKilled of [false, true]) {
    const desk = await openRaceDesk(t);
    const { sql } = desk;
    const take = async () => (isKilled ? desk.takeOver() : undefined);
    await seedSuite(sql);
    const versions = new Map<string, string>();
    for (const hotkey of ['a', 'b', 'c']) versions.set(hotkey, await seedVersion(sql, { hotkey }));
    await desk.send('suite-activated', { suiteId: 1 });
    await take();
    const { raceId, closesAtMs } = await raceAt(sql, 1);
    desk.nowMs = closesAtMs;
    await desk.send('close-qualifying', { raceId });
    await take();
    await desk.tick();
    await take();
    await runToEnd(
      desk,
      raceId,
      workOf(versions, { a: success(500_000), b: success(400_000), c: 'agent-fault' }),
    );
    await take();
    const rows = await sql`
      select miner_hotkey, race_score, weighted_score, race_rank, is_eliminated, unfinished_reason
      from race_entrant order by 1`;
    ends.push({ rows: [...rows], facts: await facts(sql), next: await raceAt(sql, 2) });
  }
  t.deepEqual(ends[1], ends[0]);
});

test('a lone entrant wins, and is neither beaten nor eliminated', async (t) => {
  const { desk, raceId, versions, sql } = await runningDesk(t, ['a']);
  await runToEnd(desk, raceId, workOf(versions, { a: success(10_000) }));
  t.like(await raceAt(sql, 1), { status: 'RACE_COMPLETE', winnerId: versions.get('a') });
  const [row] = await entrantRows(desk, raceId);
  t.like(row, { rank: 1, rawScore: '0.0100', weightedScore: '0.0100', isEliminated: false });
});

test('when all are equal the smallest id wins and the largest go', async (t) => {
  const hotkeys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
  const { desk, raceId, versions } = await runningDesk(t, hotkeys);
  await runToEnd(desk, raceId, new Map([...versions.values()].map((id) => [id, success(400_000)])));
  const sorted = [...versions.values()].sort();
  const rows = await entrantRows(desk, raceId);
  t.deepEqual(
    rows.map(({ agentVersionId }) => agentVersionId),
    sorted,
  );
  t.deepEqual(
    rows.filter(({ isEliminated }) => isEliminated).map(({ agentVersionId }) => agentVersionId),
    sorted.slice(4),
  );
});

test('when everyone failed the race is cancelled and nobody is eliminated', async (t) => {
  const { desk, raceId, versions, sql } = await runningDesk(t, ['a', 'b']);
  await runToEnd(desk, raceId, workOf(versions, { a: 'agent-fault', b: 'platform-fault' }));
  t.like(await raceAt(sql, 1), { status: 'RACE_CANCELLED', cancelReason: 'NO_FINISHER' });
  t.like(await raceAt(sql, 2), { status: 'QUALIFYING_OPEN' });
  const gone = await sql`select 1 from agent_version where eliminated_at is not null`;
  t.is(gone.length, 0);
  const paid = await sql`select 1 from race_emission`;
  t.is(paid.length, 0);
});

for (const [what, fall] of Object.entries({
  banned: ({ sql }: RaceDesk) => ban(sql, 'a'),
  discarded: ({ sql }: RaceDesk, id: string) => discard(sql, id),
})) {
  test(`a winner that is ${what} just before the end does not win`, async (t) => {
    const { desk, raceId, versions, sql } = await runningDesk(t, ['a', 'b']);
    const [a = '', b = ''] = versions.values();
    for (const id of [a, b]) await seedWork(sql, raceId, id, success(id === a ? 900_000 : 100_000));
    const { attempts } = await desk.send(
      'work-changed',
      { raceId, agentVersionId: b },
      {
        meanwhile: async () => fall(desk, a),
      },
    );
    t.is(attempts, 2);
    t.like(await raceAt(sql, 1), { status: 'RACE_COMPLETE', winnerId: b, promotedId: b });
    const rows = await entrantRows(desk, raceId);
    t.like(rows[1], {
      agentVersionId: a,
      unfinishedReason: what.toUpperCase(),
      isEliminated: true,
    });
  });
}

test('a validator that is banned just before the end has no say in it', async (t) => {
  const { desk, raceId, versions, sql } = await runningDesk(t, ['a', 'b']);
  const [a = '', b = ''] = versions.values();
  for (const id of [a, b]) await seedWork(sql, raceId, id, success(id === a ? 900_000 : 100_000));
  const { attempts } = await desk.send(
    'work-changed',
    { raceId, agentVersionId: b },
    { meanwhile: async () => ban(sql, 'validator-0') },
  );
  t.is(attempts, 2);
  t.is((await raceAt(sql, 1)).status, 'RACE_RUNNING');
  // What its eval partition makes of the ban, and another validator of the work.
  await sql`
    update evaluation_run set is_included = false, score_micro = 0
    where validator_hotkey = 'validator-0'`;
  await sql`
    insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
      race_id, execution_kind, validator_hotkey, slot, fence, status, is_included, score_micro,
      claimed_at, lease_expires_at, completed_at, expected_items)
    select gen_random_uuid(), part, work_item_id, agent_version_id, suite_id, phase, race_id,
      execution_kind, 'validator-2', slot, 3, status, true, 500000, now(), now(), now(), 0
    from evaluation_run where validator_hotkey = 'validator-0'`;
  await desk.send('work-changed', { raceId, agentVersionId: b });
  t.like(await raceAt(sql, 1), { status: 'RACE_COMPLETE', scoredCount: 2, winnerId: a });
  t.like((await entrantRows(desk, raceId))[0], { rawScore: '0.7000' });
});

/** As an exclusion leaves it: one success less, and the work open again. */
async function exclude(sql: RaceDesk['sql'], agentVersionId: string): Promise<void> {
  await sql`
    with excluded as (
      update evaluation_run set is_included = false, exclusion_reason = 'an operator said so'
      where agent_version_id = ${agentVersionId} and validator_hotkey = 'validator-0'
      returning work_item_id)
    update work_item w set state = 'OPEN', closed_at = null, included_success_count = 1
    from excluded where w.work_item_id = excluded.work_item_id`;
}

test('work that opens again while the end of its race is read is waited for', async (t) => {
  const { desk, raceId, versions, sql } = await runningDesk(t, ['a', 'b']);
  const [a = '', b = ''] = versions.values();
  for (const id of [a, b]) await seedWork(sql, raceId, id, success(500_000));
  let looked: Promise<Done> | undefined;
  // Read after who has work left, and before how the runs ended.
  const take: Take = (tx) => tx`lock table top_agent`;
  await holdLock(sql, take, async () => {
    looked = desk.send('work-changed', { raceId, agentVersionId: b });
    await until(async () => {
      const waiting = await sql`
        select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      return waiting.length > 0;
    });
    await exclude(sql, b);
  });
  t.is((await looked)?.outcome?.kind, 'committed');
  t.is((await raceAt(sql, 1)).status, 'RACE_RUNNING');
  desk.nowMs = desk.nextDueMs() ?? 0;
  t.deepEqual(await desk.tick(), ['complete-due']);
  t.is((await raceAt(sql, 1)).status, 'RACE_COMPLETE');
});

test('work that opens again just before the commit of its race’s end is waited for', async (t) => {
  const { desk, raceId, versions, sql } = await runningDesk(t, ['a', 'b']);
  const [a = '', b = ''] = versions.values();
  for (const id of [a, b]) await seedWork(sql, raceId, id, success(500_000));
  // Its runs are as before: only the work says that somebody has to evaluate it again.
  const meanwhile = () => sql`
    update work_item set state = 'OPEN', closed_at = null where agent_version_id = ${b}`;
  const { attempts } = await desk.send(
    'work-changed',
    { raceId, agentVersionId: b },
    { meanwhile },
  );
  t.is(attempts, 2);
  t.is((await raceAt(sql, 1)).status, 'RACE_RUNNING');
});

test('nobody waits for the work of a banned miner', async (t) => {
  const { desk, raceId, versions, sql } = await runningDesk(t, ['a', 'b']);
  await ban(sql, 'b');
  await runToEnd(desk, raceId, workOf(versions, { a: success(500_000), b: 'open' }));
  t.like(await raceAt(sql, 1), { status: 'RACE_COMPLETE', scoredCount: 1 });
});

test('a suite that is switched takes its running race with it', async (t) => {
  const { desk, raceId, versions, sql } = await runningDesk(t, ['a']);
  const [a = ''] = versions.values();
  await seedSuite(sql, { isActive: false });
  await seedWork(sql, raceId, a, success(900_000));
  await desk.send(
    'work-changed',
    { raceId, agentVersionId: a },
    {
      meanwhile: () => switchTo(sql, 2),
    },
  );
  t.like(await raceAt(sql, 1), { status: 'RACE_CANCELLED', cancelReason: 'SUITE_SWITCHED' });
  const tops = await sql`select 1 from top_agent`;
  t.is(tops.length, 0);
  const told = await sql`
    select body ->> 'raceId' as id, body ->> 'reason' as reason
    from rt.outbox where subject like 'evt.eval.%.race-ended'`;
  t.deepEqual([...told], [{ id: raceId, reason: 'SUITE_SWITCHED' }]);
});

test('a suite that is away and back before the commit takes its running race with it', async (t) => {
  const { desk, raceId, versions, sql } = await runningDesk(t, ['a']);
  const [a = ''] = versions.values();
  await seedSuite(sql, { isActive: false });
  await seedWork(sql, raceId, a, success(900_000));
  const meanwhile = async () => {
    await switchTo(sql, 2, desk.nowMs);
    await switchTo(sql, 1, desk.nowMs + 1);
  };
  const { attempts } = await desk.send(
    'work-changed',
    { raceId, agentVersionId: a },
    { meanwhile },
  );
  t.is(attempts, 2);
  t.like(await raceAt(sql, 1), { status: 'RACE_CANCELLED', cancelReason: 'SUITE_SWITCHED' });
  t.is((await sql`select 1 from top_agent`).length, 0);
});

test('a race that outlasts the day pushes the next close to the noon after its end', async (t) => {
  const desk = await openRaceDesk(t);
  await seedSuite(desk.sql);
  await desk.sql`
    insert into race_policy (policy_version, overrides, actor, created_at)
    values (1, ${JSON.stringify({ raceLimitMs: 30 * hourMs })}::text::jsonb, 'test', now())`;
  const versionId = await seedVersion(desk.sql, { hotkey: 'a' });
  const raceId = await runToStart(desk);
  const first = await raceAt(desk.sql, 1);
  desk.nowMs += 28 * hourMs;
  await desk.tick();
  t.like(await raceAt(desk.sql, 1), { status: 'RACE_RUNNING' });
  await runToEnd(desk, raceId, new Map([[versionId, success(600_000)]]));
  t.is((await raceAt(desk.sql, 2)).closesAtMs, first.closesAtMs + 48 * hourMs);
});

test('what a race pays sums to a whole, whoever survives it', async (t) => {
  const hotkeys = Array.from({ length: 40 }, (_, index) => `hotkey-${index}`);
  const { desk, raceId, versions, sql } = await runningDesk(t, hotkeys);
  const scores = [...versions.values()].map((id, index) => [id, success(10_000 * index)] as const);
  await runToEnd(desk, raceId, new Map(scores));
  const [sum] = await sql`
    select sum(units)::text as units, count(*)::int as seats from race_emission`;
  // 40 less 26 eliminated, less the top, which is paid apart from the tail; and the burn.
  t.deepEqual({ ...sum }, { units: '1000000000000000000', seats: 15 });
});

test('the end of a race tells nobody a score but the winner’s', async (t) => {
  const { desk, raceId, versions, sql } = await runningDesk(t, ['a', 'b']);
  await runToEnd(desk, raceId, workOf(versions, { a: success(612_300), b: success(345_600) }));
  const told = await sql<{ body: unknown }[]>`
    select body from rt.outbox where subject like 'fact.%'`;
  const text = JSON.stringify(told);
  t.true(text.includes('winnerScore'));
  t.false(text.includes('0.3456'));
  t.deepEqual(await facts(sql), [
    'race-opened',
    'race-closed',
    'race-started',
    'race-completed',
    'race-opened',
    'top-changed',
  ]);
});
