import { isReleased } from '../../../actors/runtime/race-rows.ts';
import type { Sql } from '../../../infra/ports/sql.ts';

export interface RunRow {
  readonly evalRunId: string;
  readonly agentVersionId: string;
  readonly suiteId: number;
  readonly raceId: string | null;
  readonly phase: 'QUALIFYING' | 'RACE';
  readonly status: string;
  readonly executionKind: 'legacy_benchmark' | 'envpack';
  readonly envPackSha256: string | null;
  readonly validatorHotkey: string;
  readonly isIncluded: boolean;
  readonly exclusionReason: string | null;
  readonly scoreMicro: number | null;
  readonly claimedAt: Date;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
  readonly failureReason: string | null;
  readonly failureClass: string | null;
  readonly endReason: string | null;
  readonly expectedItems: number;
  /** Results that are stored: episodes, or problems of a legacy suite. */
  readonly storedItems: number;
  /** Of its race, with the database's clock beside it; null for a QUALIFYING run. */
  readonly raceStatus: string | null;
  readonly raceReleasedAt: Date | null;
  readonly raceCancelledAt: Date | null;
  readonly nowMs: number;
}

export interface RunDetailRow extends RunRow {
  readonly scoreComponents: Record<string, unknown> | null;
  readonly sandboxMetadata: Record<string, unknown> | null;
}

const columns = (sql: Sql) => sql`
  r.eval_run_id as "evalRunId",
  r.agent_version_id as "agentVersionId",
  r.suite_id as "suiteId",
  r.race_id as "raceId",
  r.phase,
  r.status,
  r.execution_kind as "executionKind",
  r.env_pack_sha256 as "envPackSha256",
  r.validator_hotkey as "validatorHotkey",
  r.is_included as "isIncluded",
  r.exclusion_reason as "exclusionReason",
  r.score_micro as "scoreMicro",
  r.claimed_at as "claimedAt",
  r.started_at as "startedAt",
  r.completed_at as "completedAt",
  r.failure_reason as "failureReason",
  r.failure_class as "failureClass",
  r.end_reason as "endReason",
  r.expected_items as "expectedItems",
  case r.execution_kind
    when 'envpack' then r.item_count
    else (select count(*) from problem_progress p where p.eval_run_id = r.eval_run_id)::int
  end as "storedItems",
  race.status as "raceStatus",
  race.released_at as "raceReleasedAt",
  race.cancelled_at as "raceCancelledAt",
  floor(extract(epoch from rt.clock()) * 1000)::float8 as "nowMs"`;

/** In vain a version may have thousands, and anybody may ask for them. */
const newestMax = 500;

/**
 * A version's newest runs, and older ones that go on or count, oldest first. Of a race under seal none is
 * kept for counting: that it is here would say so.
 */
export async function runsOfVersion(sql: Sql, agentVersionId: string): Promise<readonly RunRow[]> {
  return await sql<RunRow[]>`
    with live as materialized (
      select r.eval_run_id, r.agent_version_id
      from evaluation_run r
      where r.part = (
          select v.part from agent_version v where v.agent_version_id = ${agentVersionId})
        and r.status in ('CLAIMED', 'RUNNING')
    ), shown as (
      (select r.eval_run_id
       from evaluation_run r
       where r.agent_version_id = ${agentVersionId}
       order by r.claimed_at desc
       limit ${newestMax})
      union
      select l.eval_run_id from live l where l.agent_version_id = ${agentVersionId}
      union
      select i.eval_run_id
      from work_item w
      join evaluation_run i on i.work_item_id = w.work_item_id and i.is_included
      left join race c on c.race_id = w.race_id
      where w.agent_version_id = ${agentVersionId} and w.rejudging_id is null
        and (w.race_id is null or ${isReleased(sql, sql`c`)})
    )
    select ${columns(sql)}
    from evaluation_run r
    left join race on race.race_id = r.race_id
    -- Joined, they would be looked up among all runs where the planner takes those for few.
    where r.eval_run_id = any(array(select s.eval_run_id from shown s))
    order by r.claimed_at, r.eval_run_id`;
}

export async function runById(sql: Sql, evalRunId: string): Promise<RunDetailRow | undefined> {
  const [row] = await sql<RunDetailRow[]>`
    select ${columns(sql)}, r.score_components as "scoreComponents",
      r.sandbox_metadata as "sandboxMetadata"
    from evaluation_run r
    left join race on race.race_id = r.race_id
    where r.eval_run_id = ${evalRunId}`;
  return row;
}

export interface EpisodeRow {
  readonly evalRunId: string;
  readonly episodeResultId: string;
  readonly taskId: string;
  readonly family: string;
  readonly outcome: string;
  readonly verdictCorrect: boolean;
  readonly checksPassed: number;
  readonly checksFailed: number;
  readonly checksUnknown: number;
  readonly componentCount: number;
  readonly rewardMicro: number | null;
  readonly wallSeconds: number | null;
  readonly stepCount: number;
}

/**
 * What a result holds is counted when it comes, and is not opened again: a quarter of a megabyte for each.
 * Those of before have no counts, and the database makes them.
 */
const counts = (sql: Sql) => {
  const checks = (verdict: string) => sql`(
    select count(*)::int from jsonb_each_text(e.verdict_checks) c where c.value = ${verdict})`;
  return sql`
  coalesce(e.checks_passed, ${checks('passed')}) as "checksPassed",
  coalesce(e.checks_failed, ${checks('failed')}) as "checksFailed",
  coalesce(e.checks_unknown, ${checks('unknown')}) as "checksUnknown",
  coalesce(e.component_count, (
    select count(*)::int from jsonb_object_keys(e.reward_components))) as "componentCount"`;
};

export async function episodesOfRuns(
  sql: Sql,
  evalRunIds: readonly string[],
): Promise<readonly EpisodeRow[]> {
  if (evalRunIds.length === 0) return [];
  return await sql<EpisodeRow[]>`
    select e.eval_run_id as "evalRunId", e.episode_result_id as "episodeResultId",
      e.task_id as "taskId", e.family, e.outcome, e.verdict_correct as "verdictCorrect",
      ${counts(sql)}, e.reward_micro as "rewardMicro", e.wall_seconds as "wallSeconds", e.step_count as "stepCount"
    from episode_result e
    left join evaluation_run r on r.eval_run_id = e.eval_run_id
    left join suite_problem p
      on r.race_id is null and p.suite_id = r.suite_id and p.phase = r.phase
        and p.task_id = e.task_id
    left join race_task t on t.race_id = r.race_id and t.task_id = e.task_id
    where e.eval_run_id = any (${evalRunIds as string[]}::uuid[])
    order by e.eval_run_id, coalesce(t.ordinal, p.ordinal), e.task_id`;
}

export interface ProgressRow {
  readonly evalRunId: string;
  readonly problemId: string;
  readonly status: string;
  readonly scoreMicro: number | null;
  readonly reasoningScore: number | null;
  readonly scoreComponents: Record<string, unknown> | null;
  readonly inferenceFailureCount: number | null;
  readonly inferenceTotal: number | null;
  readonly executionTime: number | null;
  readonly updatedAt: Date;
}

export async function progressOfRuns(
  sql: Sql,
  evalRunIds: readonly string[],
): Promise<readonly ProgressRow[]> {
  if (evalRunIds.length === 0) return [];
  return await sql<ProgressRow[]>`
    select p.eval_run_id as "evalRunId", p.problem_id as "problemId", p.status,
      p.score_micro as "scoreMicro", p.reasoning_score as "reasoningScore",
      p.score_components as "scoreComponents",
      p.inference_failure_count as "inferenceFailureCount",
      p.inference_total as "inferenceTotal", p.execution_time as "executionTime",
      p.updated_at as "updatedAt"
    from problem_progress p
    where p.eval_run_id = any (${evalRunIds as string[]}::uuid[])
    order by p.eval_run_id, p.problem_id`;
}
