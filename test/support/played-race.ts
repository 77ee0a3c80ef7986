import type { Sql } from '../../infra/ports/sql.ts';
import { type CompletedRace, completeRace } from '../../machines/race/complete-race.ts';
import type { EntrantWork, ReigningTop, WindowRace } from '../../machines/race/field.ts';
import type { RacePolicy } from '../../machines/race/policy.ts';
import { runScoreMicro } from '../../machines/scoring/run-score.ts';
import { addVersion, trialId, trialPolicy } from './trial-races.ts';

/** A whole race from task rewards to units, as the race coordinator would leave it in the tables. */
export interface PlayedRace {
  readonly suiteId: number;
  readonly raceNumber: number;
  readonly hotkeys: readonly string[];
  readonly taskCount: number;
  /** In 10^-6; undefined for a wrong answer. */
  readonly reward: (hotkey: string, validator: number, task: number) => number | undefined;
  readonly window?: readonly WindowRace[];
  readonly top?: ReigningTop;
  readonly policy?: Partial<RacePolicy>;
  readonly completedAtMs: number;
}

interface Run {
  readonly eval_run_id: string;
  readonly work_item_id: string;
  readonly agent_version_id: string;
  readonly validator_hotkey: string;
  readonly fence: number;
  readonly score_micro: number;
  readonly results: readonly { task_id: string; reward_micro: number | null }[];
}

const validators = ['validator 0', 'validator 1'];
const iso = (ms: number) => new Date(ms).toISOString();
const taskId = (index: number) => `task-${String(index).padStart(3, '0')}`;

/** The suite becomes one with a pack, so that scores follow from rewards. */
export async function playRace(sql: Sql, race: PlayedRace): Promise<CompletedRace> {
  const { suiteId, raceNumber, hotkeys, taskCount, completedAtMs } = race;
  await sql`update suite set execution_kind = 'envpack' where suite_id = ${suiteId}`;
  for (const hotkey of hotkeys) await addVersion(sql, suiteId, hotkey);
  const raceId = trialId(`race ${suiteId} ${raceNumber}`);
  const policy = { ...trialPolicy, ...race.policy };
  const runs = hotkeys.flatMap((hotkey) => runsOf(hotkey, race));
  const results = completeRace(
    {
      raceId,
      raceNumber,
      entrants: hotkeys.map((hotkey) => workOf(hotkey, runs)),
      window: race.window ?? [],
      top: race.top ?? null,
    },
    policy,
    completedAtMs,
  );
  if (results.kind !== 'complete') throw new Error('nobody finished');
  await insertRace(sql, { ...race, raceId, policy }, results);
  await insertTasks(sql, raceId, taskCount);
  await insertRuns(sql, { raceId, suiteId, taskCount, atMs: completedAtMs }, runs);
  await insertOutcome(sql, raceId, results);
  await moveTop(sql, { raceId, suiteId, atMs: completedAtMs }, results);
  // Last, for a running service publishes whatever is released, also the half of a race.
  const releasedAt = iso(completedAtMs + policy.embargoMs);
  await sql`update race set released_at = ${releasedAt} where race_id = ${raceId}`;
  return results;
}

function runsOf(hotkey: string, { raceNumber, suiteId, taskCount, reward }: PlayedRace): Run[] {
  const itemId = trialId(`item ${suiteId} ${raceNumber} ${hotkey}`);
  return validators.map((validator, index) => {
    const results = Array.from({ length: taskCount }, (_, task) => ({
      task_id: taskId(task),
      reward_micro: reward(hotkey, index, task) ?? null,
    }));
    const sum = results.reduce((total, { reward_micro }) => total + (reward_micro ?? 0), 0);
    return {
      eval_run_id: trialId(`run ${suiteId} ${raceNumber} ${hotkey} ${validator}`),
      work_item_id: itemId,
      agent_version_id: trialId(hotkey),
      validator_hotkey: validator,
      fence: index + 1,
      score_micro: runScoreMicro(sum, taskCount),
      results,
    };
  });
}

function workOf(hotkey: string, runs: readonly Run[]): EntrantWork {
  const agentVersionId = trialId(hotkey);
  return {
    agentVersionId,
    minerHotkey: hotkey,
    isDiscarded: false,
    isMinerBanned: false,
    runs: runs
      .filter(({ agent_version_id }) => agent_version_id === agentVersionId)
      .map((run) => ({
        evalRunId: run.eval_run_id,
        validatorHotkey: run.validator_hotkey,
        status: 'SUCCESS',
        isIncluded: true,
        scoreMicro: run.score_micro,
        faultClass: null,
      })),
  };
}

async function insertRace(
  sql: Sql,
  race: PlayedRace & { readonly raceId: string; readonly policy: RacePolicy },
  results: CompletedRace,
): Promise<void> {
  const { completedAtMs, hotkeys, policy } = race;
  const before = iso(completedAtMs - 3_600_000);
  const promoted = results.top.kind === 'promoted' ? results.top.agentVersionId : null;
  await sql`
    insert into race (race_id, part, suite_id, race_number, status, policy_version, policy,
                      opened_at, qualifying_closes_at, closed_at, started_at, completed_at,
                      released_at, qualifier_count, scored_count, winner_agent_version_id,
                      winner_score, top50_mean, top50_std, margin, challenged_score,
                      promoted_agent_version_id)
    values (${race.raceId}, 0, ${race.suiteId}, ${race.raceNumber}, 'RACE_COMPLETE', 0,
            ${JSON.stringify(policy)}::text::jsonb, ${before}, ${before}, ${before}, ${before},
            ${iso(completedAtMs)}, 'infinity', ${hotkeys.length},
            ${results.entrants.filter(({ rawScore }) => rawScore !== null).length},
            ${results.winner.agentVersionId}, ${results.winner.score}, ${results.anchor},
            ${results.std}, ${results.margin}, ${results.challengedScore}, ${promoted})`;
}

async function insertTasks(sql: Sql, raceId: string, taskCount: number): Promise<void> {
  for (let ordinal = 0; ordinal < taskCount; ordinal += 1) {
    await sql`
      insert into race_task (race_id, ordinal, problem_id, task_id, family)
      values (${raceId}, ${ordinal}, ${trialId(taskId(ordinal))}, ${taskId(ordinal)}, 'search')`;
  }
}

async function insertRuns(
  sql: Sql,
  of: { raceId: string; suiteId: number; taskCount: number; atMs: number },
  runs: readonly Run[],
): Promise<void> {
  const rows = JSON.stringify(runs);
  const at = iso(of.atMs - 60_000);
  await sql`
    insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, suite_id, phase,
                           race_id, state, required_successes, included_success_count, queued_at,
                           queue_order_at, closed_at)
    select distinct x.work_item_id, 0, x.agent_version_id, '', ${of.suiteId}::int, 'RACE',
           ${of.raceId}::uuid, 'CLOSED', 2, 2, ${at}::text::timestamptz, ${at}::text::timestamptz,
           ${at}::text::timestamptz
    from jsonb_to_recordset(${rows}::text::jsonb) as x (work_item_id uuid, agent_version_id uuid)`;
  await sql`
    insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
                                race_id, execution_kind, validator_hotkey, slot, fence, status,
                                is_included, score_micro, claimed_at, lease_expires_at,
                                completed_at, item_count, expected_items)
    select x.eval_run_id, 0, x.work_item_id, x.agent_version_id, ${of.suiteId}::int, 'RACE',
           ${of.raceId}::uuid, 'envpack', x.validator_hotkey, 0, x.fence, 'SUCCESS', true,
           x.score_micro, ${at}::text::timestamptz, ${at}::text::timestamptz,
           ${at}::text::timestamptz, ${of.taskCount}::int, ${of.taskCount}::int
    from jsonb_to_recordset(${rows}::text::jsonb) as x (
      eval_run_id uuid, work_item_id uuid, agent_version_id uuid, validator_hotkey text,
      fence bigint, score_micro integer)`;
  await sql`
    insert into episode_result (eval_run_id, task_id, episode_result_id, part, family, outcome,
                                verdict_correct, verdict_checks, reward_components, reward_micro,
                                step_count, created_at)
    select x.eval_run_id, y.task_id, gen_random_uuid(), 0, 'search', 'completed',
           y.reward_micro is not null, '{}', '{}', y.reward_micro, 1, ${at}::text::timestamptz
    from jsonb_to_recordset(${rows}::text::jsonb) as x (eval_run_id uuid, results jsonb),
      jsonb_to_recordset(x.results) as y (task_id text, reward_micro integer)`;
}

async function insertOutcome(sql: Sql, raceId: string, results: CompletedRace): Promise<void> {
  for (const entrant of results.entrants) {
    const window = entrant.window?.map((slot) => ({
      race_id: slot.raceId,
      race_number: slot.raceNumber,
      raw_score: slot.rawScore,
      anchor: slot.anchor,
      delta: slot.delta,
      is_seed: slot.isSeed,
    }));
    await sql`
      insert into race_entrant (race_id, agent_version_id, miner_hotkey, qualification_type,
                                qualifying_score, race_score, score_low, score_high,
                                weighted_score, race_rank, score_window, is_eliminated,
                                unfinished_reason)
      values (${raceId}, ${entrant.agentVersionId}, ${entrant.minerHotkey}, 'QUALIFIED', 0.6,
              ${entrant.rawScore}, ${entrant.scoreLow}, ${entrant.scoreHigh},
              ${entrant.weightedScore}, ${entrant.rank},
              ${window === undefined ? null : JSON.stringify(window)}::text::jsonb,
              ${entrant.isEliminated}, ${entrant.unfinishedReason})`;
  }
  const eliminated = results.entrants.filter(({ isEliminated }) => isEliminated);
  await sql`
    update agent_version
    set eliminated_at = r.completed_at, eliminated_in_race_number = r.race_number
    from race r
    where r.race_id = ${raceId}
      and agent_version_id = any(${eliminated.map(({ agentVersionId }) => agentVersionId)}::uuid[])`;
  for (const part of results.emission) {
    await sql`
      insert into race_emission (race_id, position, seat, agent_version_id, miner_hotkey, weight,
                                 units)
      values (${raceId}, ${part.position}, ${part.seat}, ${part.agentVersionId},
              ${part.minerHotkey}, ${part.weight}, ${part.units})`;
  }
}

async function moveTop(
  sql: Sql,
  of: { raceId: string; suiteId: number; atMs: number },
  { top }: CompletedRace,
): Promise<void> {
  const at = iso(of.atMs);
  if (top.kind === 'kept') {
    await sql`update top_agent set score = ${top.score} where ended_at is null`;
    return;
  }
  await sql`update top_agent set ended_at = ${at}, end_reason = 'OUTRANKED' where ended_at is null`;
  await sql`
    insert into top_agent (top_id, suite_id, agent_version_id, miner_hotkey, race_id, score, top_at)
    values (${trialId(`reign ${of.raceId}`)}, ${of.suiteId}, ${top.agentVersionId},
            ${top.minerHotkey}, ${of.raceId}, ${top.score}, ${at})`;
}
