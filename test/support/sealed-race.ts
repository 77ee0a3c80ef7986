import { idsWithin } from '../../infra/ids/ids.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import { trialId, trialPolicy } from './trial-races.ts';

/** What only the detail of the race says: none of it may be in any answer before the release. */
export const secrets = {
  taskIds: ['held-out-alpha', 'held-out-beta'],
  problemIds: [trialId('problem alpha'), trialId('problem beta')],
  family: 'sealed-family',
  texts: ['peculiar-key', 'peculiar-reason', 'peculiar-exclusion', 'peculiar-stderr', 'PROVIDER'],
  /** Of runs, of their aggregates, and of the race. */
  scores: ['0.777123', '0.654321', '0.7157', '0.7321', '0.7654', '0.7111', '0.0123'],
  /** How the winner did against the top, and why the last entrant has no score. */
  result: ['0.0876', '0.6789', 'NOT_FINISHED'],
} as const;

export const everySecret: readonly string[] = [
  ...secrets.taskIds,
  ...secrets.problemIds,
  secrets.family,
  ...secrets.texts,
  ...secrets.scores,
  ...secrets.result,
];

export interface SealedRace {
  readonly suiteId: number;
  readonly raceId: string;
  /** In order of their qualifying scores: three entrants and one that was not entered. */
  readonly versionIds: readonly [string, string, string, string];
  readonly runIds: Readonly<Record<RunName, string>>;
  /** Of the results of the first run, in the order of its tasks. */
  readonly episodeIds: readonly string[];
}

const runNames = ['first', 'second', 'failed', 'stale', 'live', 'qualifying'] as const;
type RunName = (typeof runNames)[number];

export const packSha256 = 'f'.repeat(64);

/** A race in the middle of its run, as its rows would be; results stand in columns that are sealed. */
export async function addSealedRace(
  sql: Sql,
  keys: { readonly miners: readonly string[]; readonly validators: readonly string[] },
): Promise<SealedRace> {
  const suiteId = await addSuite(sql);
  const raceId = trialId(`sealed race of ${suiteId}`);
  const versions: string[] = [];
  for (const [place, hotkey] of keys.miners.slice(0, 4).entries()) {
    versions.push(await addVersion(sql, { suiteId, hotkey, place }));
  }
  const versionIds = versions as unknown as SealedRace['versionIds'];
  await addRaceRows(sql, { suiteId, raceId, versionIds, miners: keys.miners });
  const runs = await addRuns(sql, { suiteId, raceId, versionIds, validators: keys.validators });
  const episodeIds = secrets.taskIds.map(idsWithin(runs.first));
  return { suiteId, raceId, versionIds, runIds: runs, episodeIds };
}

async function addSuite(sql: Sql): Promise<number> {
  await sql`update suite set is_active = false where is_active`;
  const [row] = await sql<{ suiteId: number }[]>`
    insert into suite (suite_version, is_active, execution_kind, benchmark_name, benchmark_number,
                       env_pack_sha256, environment, qualifying_threshold,
                       required_successes_qualifying, required_successes_race, created_at, activated_at)
    values ((select coalesce(max(suite_version), 0) + 1 from suite), true, 'envpack', 'Sealed', 1,
            ${packSha256}, '{"display_name": "Shop"}', 0.55, 2, 2, rt.clock(), rt.clock())
    returning suite_id as "suiteId"`;
  const suiteId = row?.suiteId ?? 0;
  await sql`
    insert into suite_problem (suite_id, phase, ordinal, problem_id, task_id, family, goal_text, metadata)
    values (${suiteId}, 'QUALIFYING', 0, ${trialId(`public problem ${suiteId}`)}, 'public-task',
            'public-family', 'Buy it.', '{}'),
           (${suiteId}, 'RACE', 0, ${secrets.problemIds[0]}, null, null, null,
            '{"title": "peculiar-key"}')`;
  return suiteId;
}

async function addVersion(
  sql: Sql,
  { suiteId, hotkey, place }: { suiteId: number; hotkey: string; place: number },
): Promise<string> {
  const agentId = trialId(`sealed agent ${suiteId} ${hotkey}`);
  const versionId = trialId(`sealed version ${suiteId} ${hotkey}`);
  const name = `runner ${suiteId} ${place}`;
  await sql`insert into miner (hotkey) values (${hotkey}) on conflict do nothing`;
  await sql`
    insert into agent (agent_id, miner_hotkey, agent_name, created_at)
    values (${agentId}, ${hotkey}, ${name}, rt.clock())`;
  await sql`
    insert into agent_version (agent_version_id, part, agent_id, agent_name, miner_hotkey,
                               version_number, suite_id, state, submitted_at, code_sha256,
                               code_size_bytes, qualifying_score, final_score, eligible_at,
                               required_successes, included_success_count, failed_run_count,
                               stale_run_count, live_run_count, consecutive_agent_failures)
    values (${versionId}, 0, ${agentId}, ${name}, ${hotkey}, 1, ${suiteId}, 'ELIGIBLE',
            rt.clock() - interval '1 day', ${'ab'.repeat(32)}, 100, ${0.9 - place / 10},
            ${0.9 - place / 10}, rt.clock() - interval '20 hours', 2, 2, 0, 0, 0,
            ${place === 1 ? 1 : 0})`;
  return versionId;
}

async function addRaceRows(
  sql: Sql,
  race: Pick<SealedRace, 'raceId' | 'suiteId' | 'versionIds'> & { miners: readonly string[] },
): Promise<void> {
  const { raceId, suiteId, versionIds } = race;
  const policy = JSON.stringify({ ...trialPolicy, embargoMs: 21_600_000 });
  await sql`
    insert into race (race_id, part, suite_id, race_number, status, policy_version, policy, opened_at,
                      qualifying_closes_at, closed_at, started_at, deadline_at, qualifier_count,
                      winner_agent_version_id, winner_score, top50_mean, top50_std)
    values (${raceId}, ${suiteId % 4}, ${suiteId}, 1, 'RACE_RUNNING', 0, ${policy}::text::jsonb,
            rt.clock() - interval '5 hours', rt.clock() - interval '2 hours',
            rt.clock() - interval '2 hours', rt.clock() - interval '2 hours',
            rt.clock() + interval '18 hours', 3, ${versionIds[0]}, 0.7654, 0.7111, 0.0123)`;
  for (const [ordinal, taskId] of secrets.taskIds.entries()) {
    await sql`
      insert into race_task (race_id, ordinal, problem_id, task_id, family)
      values (${raceId}, ${ordinal}, ${secrets.problemIds[ordinal] ?? ''}, ${taskId},
              ${secrets.family})`;
  }
  for (const [place, versionId] of versionIds.slice(0, 3).entries()) {
    await addEntrant(sql, { raceId, versionId, hotkey: race.miners[place] ?? '', place });
  }
}

const entered = [
  { type: 'INCUMBENT_TOP', raw: 0.7157, overall: 0.7654 },
  { type: 'PINNED', raw: 0.7321, overall: 0.7321 },
  { type: 'QUALIFIED', raw: null, overall: null },
] as const;

/** The last of the three has not finished. */
async function addEntrant(
  sql: Sql,
  entrant: { raceId: string; versionId: string; hotkey: string; place: number },
): Promise<void> {
  const { raceId, versionId, hotkey, place } = entrant;
  const { type, raw, overall } = entered[place] ?? entered[2];
  const slot = {
    race_id: raceId,
    race_number: 1,
    raw_score: String(raw),
    anchor: '0.7111',
    delta: '0.0046',
    is_seed: false,
  };
  await sql`
    insert into race_entrant (race_id, agent_version_id, miner_hotkey, qualification_type,
                              qualifying_score, race_score, score_low, score_high, weighted_score,
                              race_rank, score_window, is_eliminated, unfinished_reason)
    values (${raceId}, ${versionId}, ${hotkey}, ${type}, ${0.9 - place / 10}, ${raw}, ${raw}, ${raw},
            ${overall}, ${raw === null ? null : place + 1},
            ${raw === null ? null : JSON.stringify([slot])}::text::jsonb, ${place === 1},
            ${raw === null ? 'NOT_FINISHED' : null})`;
}

/** What the end would make of the first entrant's challenge; the reign it challenged is not added. */
export async function addChallenge(
  sql: Sql,
  { raceId, versionIds: [winner] }: Pick<SealedRace, 'raceId' | 'versionIds'>,
): Promise<void> {
  await sql`
    update race
    set margin = 0.0876, challenged_score = 0.6789, promoted_agent_version_id = ${winner}
    where race_id = ${raceId}`;
}

async function addRuns(
  sql: Sql,
  race: Pick<SealedRace, 'raceId' | 'suiteId' | 'versionIds'> & { validators: readonly string[] },
): Promise<SealedRace['runIds']> {
  const { raceId, suiteId, versionIds, validators } = race;
  const [a, b, c] = versionIds;
  const [v1 = '', v2 = ''] = validators;
  const work = async (versionId: string, of: { raceId: string | null; included: number }) =>
    await addWork(sql, { versionId, suiteId, ...of });
  const [workA, workB, workC, qualified] = [
    await work(a, { raceId, included: 2 }),
    await work(b, { raceId, included: 0 }),
    await work(c, { raceId, included: 0 }),
    await work(a, { raceId: null, included: 2 }),
  ];
  const add = async (name: RunName, run: Omit<TrialRun, 'runId' | 'suiteId'>) => {
    const runId = trialId(`sealed run ${suiteId} ${name}`);
    await addRun(sql, { runId, suiteId, ...run });
    return runId;
  };
  const first = { versionId: a, workId: workA, raceId };
  const second = { versionId: b, workId: workB, raceId };
  const third = { versionId: c, workId: workC, raceId };
  const success = { status: 'SUCCESS', isIncluded: true };
  const runIds = {
    first: await add('first', { ...first, ...success, validator: v1, micro: 777_123 }),
    second: await add('second', { ...first, ...success, validator: v2, micro: 654_321 }),
    failed: await add('failed', { ...second, status: 'FAILED', validator: v1, fault: 'PROVIDER' }),
    stale: await add('stale', { ...third, status: 'STALE', validator: v1, fault: null }),
    live: await add('live', { ...third, status: 'RUNNING', validator: v2 }),
    qualifying: await add('qualifying', {
      ...{ versionId: a, workId: qualified, raceId: null },
      ...{ ...success, validator: v1, micro: 900_000 },
    }),
  };
  await addResults(sql, runIds.first);
  return runIds;
}

/** Closed with two included runs, else open. */
export async function addWork(
  sql: Sql,
  work: { versionId: string; suiteId: number; raceId: string | null; included: number },
): Promise<string> {
  const { versionId, suiteId, raceId, included } = work;
  const workId = trialId(`work ${versionId} ${raceId}`);
  await sql`
    insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, suite_id, phase, race_id,
                           state, required_successes, included_success_count, queued_at, queue_order_at,
                           closed_at)
    select ${workId}, 0, v.agent_version_id, v.miner_hotkey, ${suiteId},
           ${raceId === null ? 'QUALIFYING' : 'RACE'}, ${raceId}, ${included === 2 ? 'CLOSED' : 'OPEN'},
           2, ${included}, rt.clock() - interval '2 hours', rt.clock() - interval '2 hours',
           case when ${included === 2} then rt.clock() - interval '10 minutes' end
    from agent_version v
    where v.agent_version_id = ${versionId}`;
  return workId;
}

interface TrialRun {
  readonly runId: string;
  readonly suiteId: number;
  readonly versionId: string;
  readonly workId: string;
  readonly raceId: string | null;
  readonly validator: string;
  readonly status: string;
  readonly isIncluded?: boolean;
  readonly micro?: number;
  readonly fault?: string | null;
}

/** With the events that its end left. */
export async function addRun(sql: Sql, run: TrialRun): Promise<void> {
  const { status, micro = null, fault = null, isIncluded = false, raceId } = run;
  const isLive = status === 'RUNNING';
  const isJudged = micro !== null && raceId !== null;
  await sql`
    insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
                                race_id, execution_kind, env_pack_sha256, validator_hotkey, slot, fence,
                                status, is_included, exclusion_reason, score_micro, claimed_at,
                                started_at, lease_expires_at, completed_at, end_reason, failure_reason,
                                failure_class, score_components, sandbox_metadata, item_count,
                                expected_items)
    select ${run.runId}, 0, ${run.workId}, ${run.versionId}, ${run.suiteId},
           ${raceId === null ? 'QUALIFYING' : 'RACE'}, ${raceId}, 'envpack', ${packSha256},
           ${run.validator}, 0, count(*) + 1, ${status}, ${isIncluded},
           ${status === 'FAILED' ? 'peculiar-exclusion' : null}, ${micro},
           rt.clock() - interval '1 hour', rt.clock() - interval '50 minutes',
           rt.clock() + interval '1 hour',
           ${isLive ? null : sql`rt.clock() - interval '10 minutes'`},
           ${status === 'STALE' ? 'LEASE_EXPIRED' : null},
           ${status === 'FAILED' ? 'peculiar-reason' : null}, ${fault},
           ${isJudged ? '{"peculiar-key": 1}' : null}::text::jsonb,
           ${isJudged ? '{"stderr_tail": "peculiar-stderr"}' : null}::text::jsonb, 2, 2
    from evaluation_run
    where work_item_id = ${run.workId}`;
  const ends = { SUCCESS: 'SUCCEEDED', FAILED: 'FAILED', STALE: 'STALED' };
  const end = ends[status as keyof typeof ends] ?? 'STARTED';
  const payload = { faultClass: fault, scoreMicro: micro, reason: 'LEASE_EXPIRED' };
  await sql`
    insert into rt.event (kind, part, machine, key, seq, actor_key, type, type_version, payload,
                          command_id, account, epoch, at)
    values ('eval', 0, 'evaluation-run', ${run.runId}, 1, ${run.versionId}, ${end}, 1,
            ${JSON.stringify(payload)}::text::jsonb, ${run.runId}, 'test', 1, rt.clock())`;
}

async function addResults(sql: Sql, runId: string): Promise<void> {
  const idOf = idsWithin(runId);
  for (const [place, taskId] of secrets.taskIds.entries()) {
    await sql`
      insert into episode_result (eval_run_id, task_id, episode_result_id, part, family, outcome,
                                  verdict_correct, verdict_checks, reward_components, reward_micro,
                                  step_count, created_at)
      values (${runId}, ${taskId}, ${idOf(taskId)}, 0, ${secrets.family},
              'completed', true, '{"price": "passed"}', '{"peculiar-key": 1}', 777123, 4, rt.clock())`;
    await sql`
      insert into problem_progress (eval_run_id, problem_id, part, status, score_micro, updated_at)
      values (${runId}, ${secrets.problemIds[place] ?? ''}, 0, 'SUCCESS', 777123, rt.clock())`;
  }
}
