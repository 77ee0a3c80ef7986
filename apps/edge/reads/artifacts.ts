import type { Sql } from '../../../infra/ports/sql.ts';
import type { RunRow } from './runs.ts';

/** Instants are rounded up to milliseconds and the clock down, so that nothing is early. */
export interface CodeRow {
  readonly codeSha256: string;
  readonly submittedAtMs: number;
  /** When the version first became top; null when it never did. */
  readonly topAtMs: number | null;
  readonly nowMs: number;
}

export async function codeOfVersion(
  sql: Sql,
  agentVersionId: string,
): Promise<CodeRow | undefined> {
  const [row] = await sql<CodeRow[]>`
    select v.code_sha256 as "codeSha256",
      ceil(extract(epoch from v.submitted_at) * 1000)::float8 as "submittedAtMs",
      (select ceil(extract(epoch from min(t.top_at)) * 1000)::float8
        from top_agent t where t.agent_version_id = v.agent_version_id) as "topAtMs",
      floor(extract(epoch from rt.clock()) * 1000)::float8 as "nowMs"
    from agent_version v
    where v.agent_version_id = ${agentVersionId}`;
  return row;
}

/** What decides whether a run's artifacts are sealed. */
export type RunSeal = Pick<RunRow, 'nowMs' | 'phase' | 'raceReleasedAt' | 'raceStatus'>;

const seal = (sql: Sql) => sql`
  run.phase, race.status as "raceStatus", race.released_at as "raceReleasedAt",
  floor(extract(epoch from rt.clock()) * 1000)::float8 as "nowMs"`;

interface LogsRow extends RunSeal {
  /** As the validator sent it: only a key in the run's own folder may be followed. */
  readonly logsKey: string | null;
}

export async function logsOfRun(sql: Sql, evalRunId: string): Promise<LogsRow | undefined> {
  const [row] = await sql<LogsRow[]>`
    select ${seal(sql)}, run.results_s3_key as "logsKey"
    from evaluation_run run
    left join race on race.race_id = run.race_id
    where run.eval_run_id = ${evalRunId}`;
  return row;
}

export async function logsOfProblem(
  sql: Sql,
  evalRunId: string,
  problemId: string,
): Promise<LogsRow | undefined> {
  const [row] = await sql<LogsRow[]>`
    select ${seal(sql)}, progress.logs_s3_key as "logsKey"
    from evaluation_run run
    left join race on race.race_id = run.race_id
    left join problem_progress progress
      on progress.eval_run_id = run.eval_run_id and progress.problem_id = ${problemId}
    where run.eval_run_id = ${evalRunId}`;
  return row;
}

interface LedgerRow extends RunSeal {
  readonly ledgerSha256: string | null;
}

/**
 * The hash of an episode's ledger; null where it has none. Only a URI that was presigned for the very
 * run of the result names one.
 */
export async function ledgerOfEpisode(
  sql: Sql,
  episodeResultId: string,
  uriPrefix: string,
): Promise<LedgerRow | undefined> {
  const [row] = await sql<LedgerRow[]>`
    select ${seal(sql)}, artifact.artifact_sha256 as "ledgerSha256"
    from episode_result episode
    join evaluation_run run on run.eval_run_id = episode.eval_run_id
    left join race on race.race_id = run.race_id
    left join episode_artifact artifact on artifact.eval_run_id = episode.eval_run_id
      and episode.ledger_uri = ${uriPrefix} || artifact.artifact_sha256
    where episode.episode_result_id = ${episodeResultId}`;
  return row;
}
