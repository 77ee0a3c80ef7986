import test from 'ava';
import { Boards } from '../../../apps/edge/board/boards.ts';
import {
  agentsOfMiner,
  cooldownOf,
  latestVersionsOfMiner,
  versionById,
  versionsOfAgent,
} from '../../../apps/edge/reads/agent-versions.ts';
import {
  pendingEvaluations,
  pendingSummary,
  runningEvaluations,
} from '../../../apps/edge/reads/evaluations.ts';
import { deliverablePack } from '../../../apps/edge/reads/packs.ts';
import { problemsOfRun } from '../../../apps/edge/reads/run-problems.ts';
import {
  episodesOfRuns,
  progressOfRuns,
  runById,
  runsOfVersion,
} from '../../../apps/edge/reads/runs.ts';
import {
  activeSuite,
  listSuites,
  publicProblems,
  suiteById,
} from '../../../apps/edge/reads/suites.ts';
import { timelineOf } from '../../../apps/edge/reads/timeline.ts';
import { listValidators } from '../../../apps/edge/reads/validators.ts';
import { type OutcomeRow, outcomesOfVersion } from '../../../apps/edge/reads/version-outcomes.ts';
import { meanRunSeconds, presenceNow, waitingOf } from '../../../apps/edge/reads/waiting.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { testDatabase } from '../../support/cluster.ts';
import { lookedAt } from '../../support/looked-at.ts';

const nil = '00000000-0000-4000-8000-000000000000';
const id = (group: string, n: number) =>
  `${group}0000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

async function seedSuite(sql: Sql): Promise<number> {
  const [suite] = await sql<{ suiteId: number }[]>`
    insert into suite (suite_version, is_active, execution_kind, benchmark_name, benchmark_number,
      environment, qualifying_threshold, required_successes_qualifying, required_successes_race,
      created_at)
    values (1, true, 'legacy_benchmark', 'shop', 1, '{}', 0.55, 2, 2, rt.clock())
    returning suite_id as "suiteId"`;
  return suite?.suiteId ?? 0;
}

async function seedVersion(
  sql: Sql,
  of: { n: number; suiteId: number; miner: string; name: string; score: string | null },
): Promise<void> {
  const state = of.score === null ? 'QUEUED' : 'ELIGIBLE';
  await sql`
    insert into miner (hotkey) values (${of.miner}) on conflict do nothing`;
  await sql`
    insert into agent (agent_id, miner_hotkey, agent_name, created_at)
    values (${id('a', of.n)}, ${of.miner}, ${of.name}, rt.clock())`;
  await sql`
    insert into agent_version (agent_version_id, part, agent_id, agent_name, miner_hotkey,
      version_number, suite_id, state, submitted_at, code_sha256, code_size_bytes, qualifying_score,
      required_successes)
    values (${id('b', of.n)}, 0, ${id('a', of.n)}, ${of.name}, ${of.miner}, 1, ${of.suiteId},
      ${state}, rt.clock(), 'c0de', 1, ${of.score}, 2)`;
}

async function seedWork(sql: Sql, n: number, suiteId: number): Promise<void> {
  await sql`
    insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, suite_id, phase,
      state, required_successes, queued_at, queue_order_at)
    values (${id('c', n)}, 0, ${id('b', n)}, 'm', ${suiteId}, 'QUALIFYING', 'OPEN', 2, rt.clock(),
      rt.clock() + ${n} * interval '1 second')`;
}

test('an empty database answers every public read with nothing', async (t) => {
  const { sql } = await testDatabase(t);

  t.deepEqual([...(await listSuites(sql))], []);
  t.is(await activeSuite(sql), undefined);
  t.is(await suiteById(sql, 2 ** 40), undefined);
  t.deepEqual([...(await publicProblems(sql, 1, true))], []);
  t.deepEqual([...(await runningEvaluations(sql))], []);
  t.deepEqual([...(await pendingEvaluations(sql, { limit: 10, offset: 0 }))], []);
  t.deepEqual(await pendingSummary(sql), {
    totalPending: 0,
    totalRunsNeeded: 0,
    totalRunsActive: 0,
  });
  t.deepEqual([...(await listValidators(sql))], []);
  t.is(await versionById(sql, nil), undefined);
  t.deepEqual([...(await versionsOfAgent(sql, nil))], []);
  t.deepEqual([...(await agentsOfMiner(sql, 'm'))], []);
  t.deepEqual([...(await latestVersionsOfMiner(sql, 'm'))], []);
  t.deepEqual(await cooldownOf(sql, 'm'), { nextAllowedAt: null, remainingSeconds: 0 });
  t.deepEqual([...(await timelineOf(sql, nil))], []);
  t.deepEqual([...(await runsOfVersion(sql, nil))], []);
  t.is(await runById(sql, nil), undefined);
  t.deepEqual([...(await episodesOfRuns(sql, [nil]))], []);
  t.deepEqual([...(await progressOfRuns(sql, [nil]))], []);
  t.is(await problemsOfRun(sql, nil), undefined);
  t.is(await deliverablePack(sql, 'ab', 'v'), undefined);
  t.is(await waitingOf(sql, nil), undefined);
  t.is((await presenceNow(sql)).activeValidators, 0);
  t.is(await meanRunSeconds(sql), null);
});

/** A table that keeps all runs that ever were: one every ten hours, two of them of the last day. */
async function plantRuns(
  sql: Sql,
  validatorHotkey: string,
  agentVersionId: string = crypto.randomUUID(),
): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
        execution_kind, validator_hotkey, slot, fence, status, is_included, claimed_at,
        lease_expires_at, completed_at, expected_items)
      select gen_random_uuid(), 0, gen_random_uuid(), ${agentVersionId}, 1, 'QUALIFYING', 'envpack',
        ${validatorHotkey}, 0, n, case when n = 0 then 'FAILED' else 'SUCCESS' end, true,
        ended.at - n * interval '1 minute', ended.at, ended.at, 30
      from generate_series(0, 1000) n,
        lateral (select rt.clock() - n * interval '10 hours' as at) ended`;
  });
}

// Every public question about what waits asks the first, and everybody may ask the second.
test('what runs did lately is read of the last day alone', async (t) => {
  const { sql } = await testDatabase(t);
  await plantRuns(sql, 'v');
  await sql`
    insert into validator (hotkey, last_seen_at) values ('v', rt.clock()), ('w', rt.clock())`;

  const [mean, ofMean] = await lookedAt(sql, 'evaluation_run', meanRunSeconds);
  t.is(mean, 90);
  t.is(ofMean, 2);

  const [validators, ofValidators] = await lookedAt(sql, 'evaluation_run', listValidators);
  t.like(validators, [
    { validatorHotkey: 'v', currentRuns: 0, completed24h: 3, stale24h: 0 },
    { validatorHotkey: 'w', completed24h: 0 },
  ]);
  t.is(ofValidators, 3);
});

/** Runs that ended that many hours ago, one in each of these ways. */
async function plantEnds(sql: Sql, validatorHotkey: string, hoursAgo: number): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
        execution_kind, validator_hotkey, slot, fence, status, is_included, claimed_at,
        lease_expires_at, completed_at, expected_items)
      select gen_random_uuid(), 0, gen_random_uuid(), gen_random_uuid(), 1, 'QUALIFYING', 'envpack',
        ${validatorHotkey}, 0, 1, ended.status, false, ended.at - interval '1 hour', ended.at,
        ended.at, 30
      from (
        select unnest(array['SUCCESS', 'FAILED', 'TIMED_OUT', 'STALE', 'CANCELLED']) as status,
          rt.clock() - ${hoursAgo} * interval '1 hour' as at) ended`;
  });
}

test('a validator is shown with the ends of a day, and what is older is not counted', async (t) => {
  const { sql } = await testDatabase(t);
  await sql`
    insert into validator (hotkey, last_seen_at) values ('v', rt.clock()), ('w', rt.clock())`;
  await plantEnds(sql, 'v', 23);
  for (const validator of ['v', 'w']) await plantEnds(sql, validator, 25);

  t.like(await listValidators(sql), [
    { validatorHotkey: 'v', currentRuns: 0, completed24h: 3, stale24h: 1 },
    { validatorHotkey: 'w', currentRuns: 0, completed24h: 0, stale24h: 0 },
  ]);
});

/** Each batch of results and each step of progress is an event, of the version that it was for. */
async function plantEvents(sql: Sql, agentVersionId: string): Promise<void> {
  await sql`
    insert into rt.event (kind, part, machine, key, seq, actor_key, type, type_version, payload,
      command_id, account, epoch, at)
    select 'eval', 0, e.machine, e.key, e.seq, ${agentVersionId}, e.type, 1, '{}', 'c', 'system', 1, e.at
    from (
      select 'agent-version', ${agentVersionId}, 1, 'SUBMITTED', rt.clock() - interval '3 days'
      union all
      select 'agent-version', ${agentVersionId}, 2, 'REINSTATED', rt.clock() - interval '15 hours'
      union all
      select 'evaluation-run', 'run', n, 'PROGRESSED', rt.clock() from generate_series(1, 2000) n
    ) as e (machine, key, seq, type, at)`;
}

// Anybody may ask it of a version that has raced for months.
test('what a reinstatement forgave is found among the few events of the version alone', async (t) => {
  const { sql } = await testDatabase(t);
  const suiteId = await seedSuite(sql);
  await seedVersion(sql, { n: 1, suiteId, miner: 'm', name: 'agent', score: null });
  await plantRuns(sql, 'v', id('b', 1));
  await plantEvents(sql, id('b', 1));

  const [runs, events] = await lookedAt(sql, 'event', (tx) => outcomesOfVersion(tx, id('b', 1)));

  const endOf = ({ completedAt }: OutcomeRow) => completedAt?.getTime() ?? 0;
  const newest = runs.toSorted((a, b) => endOf(b) - endOf(a)).slice(0, 3);
  // Ten hours lie between them.
  t.deepEqual(
    newest.map(({ isForgiven }) => isForgiven),
    [false, true, true],
  );
  t.true(events < 5, `${events} events were looked at`);
});

test('the board is in order of score, and a search keeps the place on the whole board', async (t) => {
  const { sql } = await testDatabase(t);
  const suiteId = await seedSuite(sql);
  await seedVersion(sql, { n: 1, suiteId, miner: 'alice', name: 'Careful_1', score: '0.6000' });
  await seedVersion(sql, { n: 2, suiteId, miner: 'alice', name: 'Bold', score: '0.7000' });
  await seedVersion(sql, { n: 3, suiteId, miner: 'bob', name: 'careful%2', score: '0.5000' });
  await seedVersion(sql, { n: 4, suiteId, miner: 'carol', name: 'waiting', score: null });

  const boards = new Boards(sql);
  const read = async (search: string | undefined, { limit = 10, offset = 0 } = {}) => {
    const answer = await boards.read({ suiteId, by: 'qualifying', limit, offset, search });
    if (answer === undefined) throw new Error('the suite is there');
    return answer;
  };
  const all = await read(undefined);
  t.deepEqual(
    all.rows.map((row) => [row.rank, row.agentName, row.raceScore, row.wasTop]),
    [
      [1, 'Bold', null, false],
      [2, 'Careful_1', null, false],
      [3, 'careful%2', null, false],
    ],
  );
  t.deepEqual([all.total, all.uniqueMiners, all.submitted24h], [3, 2, 4]);

  const found = await read('CAREFUL');
  t.deepEqual(
    found.rows.map((row) => row.rank),
    [2, 3],
  );
  t.deepEqual([found.total, found.uniqueMiners, found.submitted24h], [2, 2, 4]);
  const literal = await read('l%2');
  t.deepEqual(
    literal.rows.map((row) => row.agentName),
    ['careful%2'],
  );
  const prefix = await read('ALI', { limit: 1, offset: 1 });
  t.deepEqual(
    prefix.rows.map((row) => row.rank),
    [2],
  );
});

test('held work is ahead of nobody, in the status of a version and in the queue alike', async (t) => {
  const { sql } = await testDatabase(t);
  const suiteId = await seedSuite(sql);
  const numbers = [1, 2, 3, 4];
  for (const n of numbers) {
    await seedVersion(sql, { n, suiteId, miner: 'm', name: `agent-${n}`, score: null });
    await seedWork(sql, n, suiteId);
  }
  await sql`update work_item set hold_until = rt.clock() + interval '1 minute', hold_reason = 'held'
    where work_item_id = ${id('c', 1)}`;
  await sql`update work_item set hold_reason = 'MINER_BANNED' where work_item_id = ${id('c', 3)}`;

  const stands = await Promise.all(numbers.map((n) => waitingOf(sql, id('b', n))));
  const queue = await pendingEvaluations(sql, { limit: 10, offset: 0 });
  t.is(stands[0]?.holdReason, 'held');
  t.deepEqual(
    queue.map((row) => [row.agentName, row.position, row.runsAhead]),
    [
      ['agent-1', 1, 0],
      ['agent-2', 1, 0],
      ['agent-3', 2, 2],
      ['agent-4', 2, 2],
    ],
  );
  t.deepEqual(
    stands.map((row) => [(row?.itemsAhead ?? Number.NaN) + 1, row?.runsAhead]),
    queue.map((row) => [row.position, row.runsAhead]),
  );
  const next = await pendingEvaluations(sql, { limit: 2, offset: 1 });
  t.deepEqual(
    next.map((row) => [row.agentName, row.position]),
    [
      ['agent-2', 1],
      ['agent-3', 2],
    ],
  );
});
