import type { Fragment, Sql } from '../../../infra/ports/sql.ts';

export interface VersionRow {
  readonly agentVersionId: string;
  readonly agentId: string;
  readonly agentName: string;
  readonly minerHotkey: string;
  readonly versionNumber: number;
  readonly suiteId: number;
  readonly submittedAt: Date;
  readonly state: string;
  readonly qualifyingScore: string | null;
  readonly finalScore: string | null;
  readonly eligibleAt: Date | null;
  readonly eliminatedAt: Date | null;
  readonly eliminatedInRaceNumber: number | null;
  readonly discardReason: string | null;
  readonly includedSuccessCount: number;
  readonly requiredSuccesses: number;
  readonly liveRunCount: number;
  readonly failedRunCount: number;
  readonly staleRunCount: number;
  readonly consecutiveAgentFailures: number;
  readonly isMinerBanned: boolean;
}

const columns = (sql: Sql) => sql`
  v.agent_version_id as "agentVersionId",
  v.agent_id as "agentId",
  v.agent_name as "agentName",
  v.miner_hotkey as "minerHotkey",
  v.version_number as "versionNumber",
  v.suite_id as "suiteId",
  v.submitted_at as "submittedAt",
  v.state,
  v.qualifying_score as "qualifyingScore",
  v.final_score as "finalScore",
  v.eligible_at as "eligibleAt",
  v.eliminated_at as "eliminatedAt",
  v.eliminated_in_race_number as "eliminatedInRaceNumber",
  v.discard_reason as "discardReason",
  v.included_success_count as "includedSuccessCount",
  v.required_successes as "requiredSuccesses",
  v.live_run_count as "liveRunCount",
  v.failed_run_count as "failedRunCount",
  v.stale_run_count as "staleRunCount",
  v.consecutive_agent_failures as "consecutiveAgentFailures",
  b.hotkey is not null as "isMinerBanned"`;

const source = (sql: Sql) => sql`
  agent_version v
  left join hotkey_ban b on b.hotkey = v.miner_hotkey`;

export async function versionById(sql: Sql, id: string): Promise<VersionRow | undefined> {
  const [row] = await sql<VersionRow[]>`
    select ${columns(sql)}
    from ${source(sql)}
    where v.agent_version_id = ${id}`;
  return row;
}

export interface RacedVersionRow extends VersionRow {
  /** It entered a race, has work of one, or its pin was not honoured in one. */
  readonly isOfRaces: boolean;
}

/** With whether there is anything of races to be asked for. */
export async function racedVersionById(sql: Sql, id: string): Promise<RacedVersionRow | undefined> {
  const [row] = await sql<RacedVersionRow[]>`
    select ${columns(sql)}, races.know_it as "isOfRaces"
    from ${source(sql)}
    cross join lateral (
      select exists (select from race_entrant e where e.agent_version_id = v.agent_version_id)
        or exists (select from race_fallback f where f.agent_version_id = v.agent_version_id)
        or exists (
          select from work_item w
          where w.agent_version_id = v.agent_version_id and w.race_id is not null
            and w.rejudging_id is null)
        as know_it
    ) races
    where v.agent_version_id = ${id}`;
  return row;
}

/** Newest first. */
export async function versionsOfAgent(sql: Sql, agentId: string): Promise<readonly VersionRow[]> {
  return await sql<VersionRow[]>`
    select ${columns(sql)}
    from ${source(sql)}
    where v.agent_id = ${agentId}
    order by v.version_number desc`;
}

export interface AgentRow {
  readonly agentId: string;
  readonly minerHotkey: string;
  readonly agentName: string;
  readonly createdAt: Date;
}

/** Newest first. */
export async function agentsOfMiner(sql: Sql, hotkey: string): Promise<readonly AgentRow[]> {
  return await sql<AgentRow[]>`
    select agent_id as "agentId", miner_hotkey as "minerHotkey", agent_name as "agentName",
      created_at as "createdAt"
    from agent
    where miner_hotkey = ${hotkey}
    order by created_at desc, agent_id`;
}

/** The latest version of each agent of a miner. */
export async function latestVersionsOfMiner(
  sql: Sql,
  hotkey: string,
): Promise<readonly VersionRow[]> {
  return await sql<VersionRow[]>`
    select ${columns(sql)}
    from agent a
    cross join lateral (
      select x.agent_version_id
      from agent_version x
      where x.agent_id = a.agent_id
      order by x.version_number desc
      limit 1
    ) newest
    join (${source(sql)}) on v.agent_version_id = newest.agent_version_id
    where a.miner_hotkey = ${hotkey}
    order by v.agent_id`;
}

export interface CooldownRow {
  /** Null when the hotkey may submit now. */
  readonly nextAllowedAt: Date | null;
  readonly remainingSeconds: number;
}

/** The cooldown as the database's clock sees it; advice, since the commit checks again under a lock. */
export async function cooldownOf(sql: Sql, hotkey: string): Promise<CooldownRow> {
  const [row] = await sql<CooldownRow[]>`
    select next_allowed_at as "nextAllowedAt",
      ceil(extract(epoch from next_allowed_at - rt.clock()))::int as "remainingSeconds"
    from miner
    where hotkey = ${hotkey} and next_allowed_at > rt.clock()`;
  return row ?? { nextAllowedAt: null, remainingSeconds: 0 };
}

/** A query of when, `at`, the version was submitted. */
export function submittedAt(sql: Sql, agentVersionId: string): Fragment {
  return sql`
    select v.submitted_at as at from agent_version v where v.agent_version_id = ${agentVersionId}`;
}
