import test, { type ExecutionContext } from 'ava';
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

async function reinstated({ sql, nowMs }: RaceDesk, agentVersionId: string) {
  await sql`
    insert into rt.event (kind, part, machine, key, actor_key, seq, type, type_version, payload,
                          command_id, account, epoch, at)
    select 'eval', part, 'agent-version', agent_version_id::text, agent_version_id::text, 9,
      'REINSTATED', 1, '{}', 'c', 'test', 1, ${new Date(nowMs)}
    from agent_version where agent_version_id = ${agentVersionId}`;
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
  const { desk, raceId, a, b, sql } = await runningDesk(t);
  await accuse(desk, raceId, b);
  await sql`
    insert into hotkey_ban (hotkey, reason, banned_at)
    values ('accuser', 'test', ${new Date(desk.nowMs)})`;

  const row = await endAtLimit(desk, raceId, a);

  t.like(row, { agentVersionId: b, unfinishedReason: 'NOT_FINISHED', isEliminated: false });
});

test('a reinstated entrant that did not finish is NOT_FINISHED', async (t) => {
  const { desk, raceId, a, b } = await runningDesk(t);
  await accuse(desk, raceId, b);
  desk.nowMs += hourMs;
  await reinstated(desk, b);

  const row = await endAtLimit(desk, raceId, a);

  t.like(row, { agentVersionId: b, unfinishedReason: 'NOT_FINISHED', isEliminated: false });
});

test('a fault after the reinstatement of an entrant counts against it', async (t) => {
  const { desk, raceId, a, b } = await runningDesk(t);
  await reinstated(desk, b);
  desk.nowMs += hourMs;
  await accuse(desk, raceId, b);

  const row = await endAtLimit(desk, raceId, a);

  t.like(row, { agentVersionId: b, unfinishedReason: 'AGENT_FAULT', isEliminated: true });
});
