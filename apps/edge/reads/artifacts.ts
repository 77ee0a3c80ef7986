import { isReleased } from '../../../actors/runtime/race-rows.ts';
import { idsBeside, sharedByIds } from '../../../infra/ids/ids.ts';
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
 * run of the result names one; of whichever bucket, since a copy may have another name.
 *
 * Whoever knows a run and guesses a task can derive the id of its result, so under seal it must not
 * matter whether that is there: an id that no result has is judged as one of the run whose results it
 * would stand among, also where that has none, as many that failed.
 */
export async function ledgerOfEpisode(
  sql: Sql,
  episodeResultId: string,
): Promise<LedgerRow | undefined> {
  return (await storedLedger(sql, episodeResultId)) ?? (await runUnderSeal(sql, episodeResultId));
}

async function storedLedger(sql: Sql, episodeResultId: string): Promise<LedgerRow | undefined> {
  const { first, last } = idsBeside(episodeResultId);
  const [row] = await sql<LedgerRow[]>`
    select ${seal(sql)}, artifact.artifact_sha256 as "ledgerSha256"
    from (
      (select eval_run_id, ledger_uri, 1 as choice
        from episode_result
        where episode_result_id = ${episodeResultId})
      union all
      (select eval_run_id, null, 2
        from episode_result
        where episode_result_id between ${first} and ${last}
        limit 1)
      order by choice
      limit 1
    ) episode
    join evaluation_run run on run.eval_run_id = episode.eval_run_id
    left join race on race.race_id = run.race_id
    left join episode_artifact artifact on artifact.eval_run_id = episode.eval_run_id
      and artifact.artifact_sha256 = substring(episode.ledger_uri from '^s3://[^/]+/episodes/([0-9a-f]{64})$')`;
  return row;
}

/**
 * The run that would have the result, if it is of a race under seal. As its index spells what its results'
 * ids begin with; and without a limit, for the first match of many guessed ones a planner reads from the start.
 */
async function runUnderSeal(sql: Sql, episodeResultId: string): Promise<LedgerRow | undefined> {
  const shared = sharedByIds(episodeResultId);
  if (shared === undefined) return undefined;
  const [row] = await sql<LedgerRow[]>`
    with run as materialized (
      select phase, race_id
      from evaluation_run
      where race_id is not null
        and left(overlay(encode(sha256(eval_run_id::text::bytea), 'hex') placing '8' from 13 for 1), 16)
          = ${shared}
    )
    select ${seal(sql)}, null as "ledgerSha256"
    from run
    join race on race.race_id = run.race_id
    where ${isReleased(sql, sql`race`)} is not true`;
  return row;
}
