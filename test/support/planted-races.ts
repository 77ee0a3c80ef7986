import { randomUUID } from 'node:crypto';
import type { Sql } from '../../infra/ports/sql.ts';
import { trialPolicy } from './trial-races.ts';

/** Four decimal places, as every score of an aggregate. */
type Score = string;

/** A suite that is not active, so that nobody opens races of it. */
export async function plantSuite(sql: Sql, packSha256: string | null = null): Promise<number> {
  const kind = packSha256 === null ? 'legacy_benchmark' : 'envpack';
  const [row] = await sql<{ suiteId: number }[]>`
    insert into suite (suite_version, execution_kind, benchmark_name, benchmark_number,
      env_pack_sha256, environment, qualifying_threshold, required_successes_qualifying,
      required_successes_race, created_at)
    select coalesce(max(suite_version), 0) + 1, ${kind}, 'Planted', 1, ${packSha256}, '{}', 0.55, 2,
      2, rt.clock()
    from suite
    returning suite_id as "suiteId"`;
  return row?.suiteId ?? 0;
}

export interface PlantedRace {
  readonly suiteId: number;
  readonly raceNumber: number;
  readonly status: string;
  readonly threshold?: Score;
  /** From now; negative for the past. */
  readonly closesInSeconds?: number;
  /** From now; null while it is not complete. */
  readonly releasedInSeconds?: number | null;
}

/** A race that nobody decides on, in whatever state a test needs. */
export async function plantRace(sql: Sql, race: PlantedRace): Promise<string> {
  const raceId = randomUUID();
  const { threshold = '0.5500', closesInSeconds = 3600, releasedInSeconds = null } = race;
  await sql`
    insert into race (race_id, part, suite_id, race_number, status, policy_version, policy, opened_at,
      qualifying_closes_at, released_at)
    values (${raceId}, 0, ${race.suiteId}, ${race.raceNumber}, ${race.status}, 0,
      ${JSON.stringify({ ...trialPolicy, qualifyingThreshold: threshold })}::text::jsonb, rt.clock(),
      rt.clock() + ${closesInSeconds} * interval '1 second',
      rt.clock() + ${releasedInSeconds}::float8 * interval '1 second')`;
  return raceId;
}

export interface PlantedVersion {
  readonly suiteId: number;
  readonly hotkey: string;
  readonly state?: string;
  readonly score?: Score | null;
  readonly isEliminated?: boolean;
}

/** A version of an agent of its own. */
export async function plantVersion(sql: Sql, version: PlantedVersion): Promise<string> {
  const agentVersionId = randomUUID();
  const agentId = randomUUID();
  const { suiteId, hotkey, state = 'ELIGIBLE', score = '0.7000', isEliminated = false } = version;
  await sql`insert into miner (hotkey) values (${hotkey}) on conflict do nothing`;
  await sql`
    insert into agent (agent_id, miner_hotkey, agent_name, created_at)
    values (${agentId}, ${hotkey}, ${agentId}, rt.clock())`;
  await sql`
    insert into agent_version (agent_version_id, part, agent_id, agent_name, miner_hotkey,
      version_number, suite_id, state, submitted_at, code_sha256, code_size_bytes, qualifying_score,
      eliminated_at, required_successes)
    values (${agentVersionId}, 0, ${agentId}, ${agentId}, ${hotkey}, 1, ${suiteId}, ${state},
      rt.clock(), ${'c'.repeat(64)}, 1, ${score},
      ${isEliminated ? sql`rt.clock()` : null}, 2)`;
  return agentVersionId;
}

/** `raceScore` null for an entrant that did not finish. */
export async function plantEntrant(
  sql: Sql,
  entrant: {
    readonly raceId: string;
    readonly agentVersionId: string;
    readonly raceScore?: Score | null;
    readonly weightedScore?: Score | null;
    readonly isEliminated?: boolean;
    readonly unfinishedReason?: string;
  },
): Promise<void> {
  const { raceId, agentVersionId, raceScore = null, weightedScore = null } = entrant;
  const { unfinishedReason = 'NOT_FINISHED' } = entrant;
  await sql`
    insert into race_entrant (race_id, agent_version_id, miner_hotkey, qualification_type,
      race_score, weighted_score, is_eliminated, unfinished_reason)
    select ${raceId}, agent_version_id, miner_hotkey, 'QUALIFIED', ${raceScore}, ${weightedScore},
      ${entrant.isEliminated ?? false}, ${raceScore === null ? unfinishedReason : null}
    from agent_version
    where agent_version_id = ${agentVersionId}`;
}

export async function plantTop(sql: Sql, raceId: string, agentVersionId: string): Promise<void> {
  await sql`
    insert into top_agent (top_id, suite_id, agent_version_id, miner_hotkey, race_id, score, top_at)
    select ${randomUUID()}, suite_id, agent_version_id, miner_hotkey, ${raceId}, '0.5000', rt.clock()
    from agent_version
    where agent_version_id = ${agentVersionId}`;
}
