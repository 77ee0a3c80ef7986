import type { Sql } from '../../../infra/ports/sql.ts';
import type { Entrant, QualificationType } from '../../../machines/race/field.ts';
import { wouldBeEntrants } from './race-field.ts';
import type { RaceRow } from './races.ts';

export interface QualifierRow {
  readonly agentVersionId: string;
  readonly agentName: string;
  readonly minerHotkey: string;
  readonly versionNumber: number;
  readonly qualificationType: QualificationType;
  readonly qualifyingScore: string | null;
  readonly raceScore: string | null;
  readonly weightedScore: string | null;
  readonly raceRank: number | null;
  /** Of an elimination by this race. */
  readonly eliminatedAt: Date | null;
  readonly isDiscarded: boolean;
  readonly window: unknown;
  /** Of an entrant that has no score when the race is complete. */
  readonly unfinishedReason: string | null;
}

/** By rank once there is one, by qualifying score before. */
export async function qualifiersOf(sql: Sql, race: RaceRow): Promise<readonly QualifierRow[]> {
  if (race.status !== 'QUALIFYING_OPEN') return await entrantsOf(sql, race.raceId);
  return await named(sql, await wouldBeEntrants(sql, race));
}

async function entrantsOf(sql: Sql, raceId: string): Promise<readonly QualifierRow[]> {
  return await sql<QualifierRow[]>`
    select e.agent_version_id as "agentVersionId", v.agent_name as "agentName",
      e.miner_hotkey as "minerHotkey", v.version_number as "versionNumber",
      e.qualification_type as "qualificationType", e.qualifying_score as "qualifyingScore",
      e.race_score as "raceScore", e.weighted_score as "weightedScore", e.race_rank as "raceRank",
      case when e.is_eliminated then v.eliminated_at end as "eliminatedAt",
      v.state = 'DISCARDED' as "isDiscarded", e.score_window as "window",
      e.unfinished_reason as "unfinishedReason"
    from race_entrant e
    join agent_version v on v.agent_version_id = e.agent_version_id
    where e.race_id = ${raceId}
    order by e.race_rank, e.qualifying_score desc nulls last, e.agent_version_id`;
}

async function named(sql: Sql, entrants: readonly Entrant[]): Promise<readonly QualifierRow[]> {
  const ids = entrants.map(({ agentVersionId }) => agentVersionId);
  const names = await sql<{ agentVersionId: string; agentName: string; versionNumber: number }[]>`
    select agent_version_id as "agentVersionId", agent_name as "agentName",
      version_number as "versionNumber"
    from agent_version
    where agent_version_id = any (${ids}::uuid[])
    order by qualifying_score desc nulls last, agent_version_id`;
  const byId = new Map(entrants.map((entrant) => [entrant.agentVersionId, entrant]));
  return names.flatMap((name) => {
    const entrant = byId.get(name.agentVersionId);
    return entrant === undefined ? [] : [{ ...notYet, ...entrant, ...name }];
  });
}

const notYet = {
  raceScore: null,
  weightedScore: null,
  raceRank: null,
  eliminatedAt: null,
  isDiscarded: false,
  window: null,
  unfinishedReason: null,
};
