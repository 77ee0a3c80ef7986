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

const source = (sql: Sql) => sql`
  evaluation_run r left join race on race.race_id = r.race_id`;

export interface VersionRunRow extends RunRow {
  /** It judges another run again, and blames nobody. */
  readonly isJudging: boolean;
  /** It ended before the version was reinstated for the last time, which forgave its faults. */
  readonly isForgiven: boolean;
}

export async function runsOfVersion(
  sql: Sql,
  agentVersionId: string,
): Promise<readonly VersionRunRow[]> {
  return await sql<VersionRunRow[]>`
    select ${columns(sql)}, r.rejudging_id is not null as "isJudging",
      coalesce(r.completed_at <= (
        select max(e.at)
        from agent_version v
        join rt.event e on e.kind = 'eval' and e.part = v.part and e.machine = 'agent-version'
          and e.key = v.agent_version_id::text and e.type = 'REINSTATED'
        where v.agent_version_id = ${agentVersionId}
      ), false) as "isForgiven"
    from ${source(sql)}
    where r.agent_version_id = ${agentVersionId}
    order by r.claimed_at, r.eval_run_id`;
}

export async function runById(sql: Sql, evalRunId: string): Promise<RunDetailRow | undefined> {
  const [row] = await sql<RunDetailRow[]>`
    select ${columns(sql)}, r.score_components as "scoreComponents",
      r.sandbox_metadata as "sandboxMetadata"
    from ${source(sql)}
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
  readonly verdictChecks: Readonly<Record<string, string>>;
  readonly rewardComponents: Readonly<Record<string, unknown>>;
  readonly rewardMicro: number | null;
  readonly wallSeconds: number | null;
  readonly stepCount: number;
}

export async function episodesOfRuns(
  sql: Sql,
  evalRunIds: readonly string[],
): Promise<readonly EpisodeRow[]> {
  if (evalRunIds.length === 0) return [];
  return await sql<EpisodeRow[]>`
    select e.eval_run_id as "evalRunId", e.episode_result_id as "episodeResultId",
      e.task_id as "taskId", e.family, e.outcome, e.verdict_correct as "verdictCorrect",
      e.verdict_checks as "verdictChecks", e.reward_components as "rewardComponents",
      e.reward_micro as "rewardMicro", e.wall_seconds as "wallSeconds", e.step_count as "stepCount"
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
