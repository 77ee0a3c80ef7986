import test, { type ExecutionContext } from 'ava';
import { runPages } from '../../../actors/services/bundles/store.ts';
import { wrongReasons } from '../../../apps/verify/live/checks/race-elimination.ts';
import { completedRaces, entrantsOf } from '../../../apps/verify/live/checks/race-rows.ts';
import { hourMs, openRaceDesk, type RaceDesk } from '../../support/race-desk.ts';
import { runToStart, seedSuite, seedVersion, seedWork } from '../../support/race-seeds.ts';

/** A race that runs with two entrants, in the order of their versions. */
async function runningDesk(t: ExecutionContext) {
  const desk = await openRaceDesk(t);
  await seedSuite(desk.sql);
  const a = await seedVersion(desk.sql, { hotkey: 'a' });
  const b = await seedVersion(desk.sql, { hotkey: 'b' });
  return { desk, a, b, raceId: await runToStart(desk), sql: desk.sql };
}

/** A fault that somebody says is the agent's, while its entrant has a success to go. */
async function accuse({ sql, nowMs }: RaceDesk, raceId: string, agentVersionId: string) {
  await seedWork(sql, raceId, agentVersionId, 'agent-fault');
  await sql`
    update evaluation_run set validator_hotkey = 'accuser', completed_at = ${new Date(nowMs)}
    where agent_version_id = ${agentVersionId}`;
  await sql`
    update work_item set state = 'OPEN', closed_at = null
    where agent_version_id = ${agentVersionId}`;
}

async function reinstated({ sql }: RaceDesk, agentVersionId: string, atMs: number) {
  await sql`
    insert into rt.event (kind, part, machine, key, actor_key, seq, type, type_version, payload,
                          command_id, account, epoch, at)
    select 'eval', part, 'agent-version', agent_version_id::text, agent_version_id::text, 9,
      'REINSTATED', 1, '{}', 'c', 'test', 1, ${new Date(atMs)}
    from agent_version where agent_version_id = ${agentVersionId}`;
}

/** Whoever accuses, at an instant of the database's clock. */
async function banned({ sql }: RaceDesk, atMs: number) {
  const at = new Date(atMs);
  await sql`insert into hotkey_ban (hotkey, reason, banned_at) values ('accuser', 'test', ${at})`;
  await sql`
    insert into audit_log (seq, actor, action, object, detail, prev_hash, hash, committed_at)
    values (1, 'test', 'hotkey.ban', 'hotkey/accuser', '{}', '', '', ${at})`;
}

async function pardoned({ sql }: RaceDesk, atMs: number) {
  await sql`delete from hotkey_ban`;
  await sql`
    insert into audit_log (seq, actor, action, object, detail, prev_hash, hash, committed_at)
    values (2, 'test', 'hotkey.unban', 'hotkey/accuser', '{}', '', '', ${new Date(atMs)})`;
}

/** What the race's bundle says of it. */
async function bundledFaults({ sql }: RaceDesk, raceId: string) {
  const faults: unknown[] = [];
  for await (const runs of runPages(sql, raceId)) {
    for (const { status, failure_class } of runs)
      if (status === 'FAILED') faults.push(failure_class);
  }
  return faults;
}

/** What the live check says against it, were its end committed when the desk says it is. */
async function flaws({ sql, nowMs }: RaceDesk, raceId: string) {
  await sql`update rt.event set at = ${new Date(nowMs)} where type = 'RACE_COMPLETED'`;
  const [race] = await completedRaces(sql, raceId);
  if (race === undefined) throw new Error('no race');
  return await wrongReasons(race, await entrantsOf(sql, raceId), sql);
}

/** Somebody won, and the limit came before the second had its successes: why it has no score. */
async function endAtLimit(desk: RaceDesk, raceId: string, winnerId: string) {
  await seedWork(desk.sql, raceId, winnerId, { micro: [300_000, 300_000] });
  desk.nowMs = desk.nextDueMs() ?? 0;
  await desk.tick();
  const [row] = await desk.sql`
    select agent_version_id as "agentVersionId", unfinished_reason as "unfinishedReason",
           is_eliminated as "isEliminated"
    from race_entrant where race_id = ${raceId} and race_rank is null`;
  return row;
}

test('whom a banned validator accused is not eliminated for it', async (t) => {
  const { desk, raceId, a, b } = await runningDesk(t);
  await accuse(desk, raceId, b);
  await banned(desk, desk.nowMs);

  const row = await endAtLimit(desk, raceId, a);

  t.like(row, { agentVersionId: b, unfinishedReason: 'NOT_FINISHED', isEliminated: false });
});

test('a reinstated entrant that did not finish is NOT_FINISHED', async (t) => {
  const { desk, raceId, a, b } = await runningDesk(t);
  await accuse(desk, raceId, b);
  desk.nowMs += hourMs;
  await reinstated(desk, b, desk.nowMs);

  const row = await endAtLimit(desk, raceId, a);

  t.like(row, { agentVersionId: b, unfinishedReason: 'NOT_FINISHED', isEliminated: false });
});

test('a fault after the reinstatement of an entrant counts against it', async (t) => {
  const { desk, raceId, a, b } = await runningDesk(t);
  await reinstated(desk, b, desk.nowMs);
  desk.nowMs += hourMs;
  await accuse(desk, raceId, b);

  const row = await endAtLimit(desk, raceId, a);

  t.like(row, { agentVersionId: b, unfinishedReason: 'AGENT_FAULT', isEliminated: true });
});

/** By how much the clock of the race's owner and that of the database differ. */
const skewMs = 40;

type Order = (desk: RaceDesk, atMs: number, accused: string) => Promise<void>;
const takenBack: readonly (readonly [string, Order])[] = [
  ['a ban', (desk, atMs) => banned(desk, atMs)],
  ['a reinstatement', (desk, atMs, accused) => reinstated(desk, accused, atMs)],
];
for (const [which, order] of takenBack) {
  test(`a bundle has no fault that the end did not count, by whatever clock: ${which}`, async (t) => {
    const { desk, raceId, a, b } = await runningDesk(t);
    await accuse(desk, raceId, b);
    await order(desk, (desk.nextDueMs() ?? 0) + skewMs, b);

    t.like(await endAtLimit(desk, raceId, a), { unfinishedReason: 'NOT_FINISHED' });

    t.deepEqual(await bundledFaults(desk, raceId), [null]);
    t.deepEqual(await flaws(desk, raceId), []);
  });

  test(`a bundle has every fault that the end counted, by whatever clock: ${which}`, async (t) => {
    const { desk, raceId, a, b } = await runningDesk(t);
    await accuse(desk, raceId, b);

    t.like(await endAtLimit(desk, raceId, a), { unfinishedReason: 'AGENT_FAULT' });
    await order(desk, desk.nowMs - skewMs, b);

    t.deepEqual(await bundledFaults(desk, raceId), ['AGENT']);
    t.deepEqual(await flaws(desk, raceId), []);
  });
}

test('a bundle has no fault of a validator whose ban was over only after the end', async (t) => {
  const { desk, raceId, a, b } = await runningDesk(t);
  await accuse(desk, raceId, b);
  await banned(desk, desk.nowMs);

  t.like(await endAtLimit(desk, raceId, a), { unfinishedReason: 'NOT_FINISHED' });
  await pardoned(desk, desk.nowMs - skewMs);

  t.deepEqual(await bundledFaults(desk, raceId), [null]);
});

test('a race that an older owner ended has the faults that its rows tell of', async (t) => {
  const { desk, raceId, a, b, sql } = await runningDesk(t);
  await accuse(desk, raceId, b);
  await endAtLimit(desk, raceId, a);
  await sql`update race set uncounted_faults = null where race_id = ${raceId}`;
  await banned(desk, desk.nowMs + skewMs);

  t.deepEqual(await bundledFaults(desk, raceId), ['AGENT']);
  t.deepEqual(await flaws(desk, raceId), []);
  await sql`update hotkey_ban set banned_at = ${new Date(desk.nowMs)}`;
  t.deepEqual(await bundledFaults(desk, raceId), [null]);
});

test('who is eliminated for a fault that did not count is found, and who is not for one that did', async (t) => {
  const { desk, raceId, a, b, sql } = await runningDesk(t);
  await accuse(desk, raceId, b);
  await endAtLimit(desk, raceId, a);
  t.deepEqual(await flaws(desk, raceId), []);
  // At the end itself, where the log of orders proves nothing.
  await banned(desk, desk.nowMs);

  await sql`
    update race set uncounted_faults = (
      select array_agg(eval_run_id) from evaluation_run where failure_class is not null)`;
  t.deepEqual(await flaws(desk, raceId), [`${b} is AGENT_FAULT, unlike the counted faults`]);

  await sql`update race_entrant set unfinished_reason = 'NOT_FINISHED' where agent_version_id = ${b}`;
  t.deepEqual(await flaws(desk, raceId), []);
  await sql`update race set uncounted_faults = '{}' where race_id = ${raceId}`;
  t.deepEqual(await flaws(desk, raceId), [`${b} is NOT_FINISHED, unlike the counted faults`]);
});
