import type { Sql } from '../../../../infra/ports/sql.ts';

export interface Race {
  readonly raceId: string;
  readonly suiteId: number;
  readonly raceNumber: number;
  readonly policy: {
    readonly windowRaces: number;
    readonly eliminationShareMicro: number;
    readonly burnRateMicro: number;
    readonly requiredSuccesses: number;
    readonly marginInitialMicro: number;
    readonly marginFloorMicro: number;
    readonly marginHalfLifeMs: number;
  };
  readonly completedAt: Date;
  readonly winnerId: string | null;
  readonly winnerScore: string | null;
  readonly anchor: string | null;
  readonly deviation: string | null;
  readonly margin: string | null;
  readonly challengedScore: string | null;
  readonly promotedId: string | null;
}

export interface Entrant {
  readonly id: string;
  readonly hotkey: string;
  readonly raw: string | null;
  readonly overall: string | null;
  readonly rank: number | null;
  readonly isEliminated: boolean;
  readonly unfinishedReason: string | null;
  readonly included: readonly number[];
}

export interface Reign {
  readonly id: string;
  readonly hotkey: string;
  readonly topAt: Date;
  /** The race that it began with. */
  readonly raceId: string;
}

export async function completedRaces(
  sql: Sql,
  raceId: string | null = null,
): Promise<readonly Race[]> {
  return await sql<Race[]>`
    select race_id as "raceId", suite_id as "suiteId", race_number as "raceNumber", policy,
      completed_at as "completedAt", winner_agent_version_id as "winnerId",
      winner_score as "winnerScore", top50_mean as anchor, top50_std as deviation, margin,
      challenged_score as "challengedScore", promoted_agent_version_id as "promotedId"
    from race
    where status = 'RACE_COMPLETE' and race_id = coalesce(${raceId}::uuid, race_id)
    order by completed_at`;
}

export async function entrantsOf(sql: Sql, raceId: string): Promise<readonly Entrant[]> {
  return await sql<Entrant[]>`
    select e.agent_version_id as id, e.miner_hotkey as hotkey, e.race_score as raw,
      e.weighted_score as overall, e.race_rank as rank, e.is_eliminated as "isEliminated",
      e.unfinished_reason as "unfinishedReason", coalesce(done.scores, '{}') as included
    from race_entrant e
    left join (
      select r.agent_version_id, array_agg(r.score_micro) as scores
      from evaluation_run r
      where r.race_id = ${raceId} and r.status = 'SUCCESS' and r.is_included
      group by r.agent_version_id) done on done.agent_version_id = e.agent_version_id
    where e.race_id = ${raceId}`;
}

export const finishersOf = (entrants: readonly Entrant[]) =>
  entrants.filter(({ raw }) => raw !== null);

/**
 * Who reigned when the race completed. A reign that the race itself found fallen ends with it as well,
 * for that reason and with a successor; its version was not challenged.
 */
export async function reignBefore(
  sql: Sql,
  { raceId, completedAt, suiteId }: Race,
): Promise<Reign | undefined> {
  const [reign] = await sql<Reign[]>`
    select t.agent_version_id as id, t.miner_hotkey as hotkey, t.top_at as "topAt",
      t.race_id as "raceId"
    from top_agent t
    where t.suite_id = ${suiteId} and t.top_at < ${completedAt}
      and (t.ended_at is null or t.ended_at > ${completedAt}
        or t.ended_at = ${completedAt} and (t.end_reason = 'OUTRANKED'
          or not exists (select from top_agent n where n.race_id = ${raceId})))`;
  return reign;
}
