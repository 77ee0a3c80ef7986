import type { Sql } from '../../../infra/ports/sql.ts';

export interface VersionDetailsRow {
  readonly agentVersionId: string;
  readonly agentId: string;
  readonly agentName: string;
  readonly minerHotkey: string;
  readonly versionNumber: number;
  readonly submittedAt: Date;
  readonly state: string;
  readonly finalScore: string | null;
  readonly codeSizeBytes: number;
}

export async function versionDetails(
  sql: Sql,
  agentVersionId: string,
): Promise<VersionDetailsRow | undefined> {
  const [row] = await sql<VersionDetailsRow[]>`
    select agent_version_id as "agentVersionId", agent_id as "agentId", agent_name as "agentName",
      miner_hotkey as "minerHotkey", version_number as "versionNumber",
      submitted_at as "submittedAt", state, final_score as "finalScore",
      code_size_bytes as "codeSizeBytes"
    from agent_version
    where agent_version_id = ${agentVersionId}`;
  return row;
}

export interface RaceScoreRow {
  readonly raceId: string;
  readonly raceNumber: number;
  readonly raceScore: string | null;
  readonly weightedScore: string | null;
  /** Of the race. */
  readonly status: string;
}

/** Of every race that the version ran, oldest first; whoever shows them asks whether they are public. */
export async function raceScoresOf(
  sql: Sql,
  agentVersionId: string,
): Promise<readonly RaceScoreRow[]> {
  return await sql<RaceScoreRow[]>`
    select e.race_id as "raceId", race.race_number as "raceNumber", e.race_score as "raceScore",
      e.weighted_score as "weightedScore", race.status
    from race_entrant e
    join race on race.race_id = e.race_id
    where e.agent_version_id = ${agentVersionId}
    order by race.opened_at, e.race_id`;
}
