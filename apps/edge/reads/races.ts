import type { Sql } from '../../../infra/ports/sql.ts';

export interface RaceRow {
  readonly raceId: string;
  readonly suiteId: number;
  readonly raceNumber: number;
  readonly status: string;
  readonly openedAt: Date;
  readonly qualifyingClosesAt: Date;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
  readonly cancelledAt: Date | null;
  /** A code, or an operator's words. */
  readonly cancelReason: string | null;
  readonly releasedAt: Date | null;
  /** While the race runs: where the pace so far leads. After its completion: the completion. */
  readonly projectedCompletionAt: Date | null;
  readonly winnerAgentVersionId: string | null;
  readonly winnerAgentName: string | null;
  readonly winnerScore: string | null;
  /** Four decimal places as text, of the race's own policy. */
  readonly qualifyingThreshold: string;
  readonly qualifierCount: number;
  /** Entrants with their required included successes, and who is out has none; counted afresh while the race runs. */
  readonly scoredCount: number;
  readonly top50Mean: string | null;
  readonly top50Std: string | null;
  /** At the completion, and the score that it was added to; null where nobody reigned. */
  readonly margin: string | null;
  readonly challengedScore: string | null;
  readonly promotedAgentVersionId: string | null;
  /** A RacePolicy, as it was fixed when the race opened. */
  readonly policy: unknown;
  readonly nowMs: number;
}

/**
 * A race that runs is over by its limit, however slow the pace; no pace before the first end. It waits for no
 * entrant that is discarded or banned, nor scores one: as its end has it.
 */
const races = (sql: Sql) => sql`
  select r.race_id as "raceId", r.suite_id as "suiteId", r.race_number as "raceNumber", r.status,
    r.opened_at as "openedAt", r.qualifying_closes_at as "qualifyingClosesAt",
    r.started_at as "startedAt", r.completed_at as "completedAt", r.released_at as "releasedAt",
    r.cancelled_at as "cancelledAt", r.cancel_reason as "cancelReason",
    case
      when r.status = 'RACE_COMPLETE' then r.completed_at
      when work.ended > 0 then least(r.deadline_at,
        now.at + (now.at - r.started_at) * (r.qualifier_count - work.ended) / work.ended)
    end as "projectedCompletionAt",
    r.winner_agent_version_id as "winnerAgentVersionId", winner.agent_name as "winnerAgentName",
    r.winner_score as "winnerScore", r.policy ->> 'qualifyingThreshold' as "qualifyingThreshold",
    r.qualifier_count as "qualifierCount",
    case r.status when 'RACE_RUNNING' then work.scored else r.scored_count end as "scoredCount",
    r.top50_mean as "top50Mean", r.top50_std as "top50Std",
    r.margin, r.challenged_score as "challengedScore",
    r.promoted_agent_version_id as "promotedAgentVersionId", r.policy,
    floor(extract(epoch from now.at) * 1000)::float8 as "nowMs"
  from race r
  cross join (select rt.clock() as at) now
  left join agent_version winner on winner.agent_version_id = r.winner_agent_version_id
  cross join lateral (
    select count(*) filter (where w.state <> 'OPEN' or is_out)::int as ended,
      count(*) filter (
        where w.included_success_count >= w.required_successes and not is_out)::int as scored
    from work_item w
    join agent_version v on v.agent_version_id = w.agent_version_id
    left join hotkey_ban b on b.hotkey = w.miner_hotkey
    cross join lateral (select v.state = 'DISCARDED' or b.hotkey is not null as is_out) entrant
    where r.status = 'RACE_RUNNING' and w.race_id = r.race_id
  ) work`;

export async function raceById(sql: Sql, raceId: string): Promise<RaceRow | undefined> {
  const [row] = await sql<RaceRow[]>`${races(sql)} where r.race_id = ${raceId}`;
  return row;
}

/** The active suite's race that has not ended. */
export async function currentRace(sql: Sql): Promise<RaceRow | undefined> {
  const [row] = await sql<RaceRow[]>`
    ${races(sql)}
    join suite s on s.suite_id = r.suite_id
    where s.is_active and r.status not in ('RACE_COMPLETE', 'RACE_CANCELLED')`;
  return row;
}

/** The race that a version was entered in last, or the asked one if it was entered there. */
export async function raceOfEntrant(
  sql: Sql,
  agentVersionId: string,
  asked: string | undefined,
): Promise<Pick<RaceRow, 'nowMs' | 'raceId' | 'releasedAt' | 'status'> | undefined> {
  const [row] = await sql<Pick<RaceRow, 'nowMs' | 'raceId' | 'releasedAt' | 'status'>[]>`
    select r.race_id as "raceId", r.status, r.released_at as "releasedAt",
      floor(extract(epoch from rt.clock()) * 1000)::float8 as "nowMs"
    from race_entrant e
    join race r on r.race_id = e.race_id
    where e.agent_version_id = ${agentVersionId}
      and ${asked === undefined ? sql`true` : sql`e.race_id = ${asked}`}
    order by r.race_number desc
    limit 1`;
  return row;
}

export interface PastRacesQuery {
  readonly suiteId: number | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Completed and cancelled races, those that ended last first. */
export async function pastRaces(
  sql: Sql,
  { suiteId, limit, offset }: PastRacesQuery,
): Promise<{ readonly total: number; readonly races: readonly RaceRow[] }> {
  const isPast = sql`r.status in ('RACE_COMPLETE', 'RACE_CANCELLED')
    and ${suiteId === undefined ? sql`true` : sql`r.suite_id = ${suiteId}`}`;
  const [[count], page] = await Promise.all([
    sql<{ total: number }[]>`select count(*)::int as total from race r where ${isPast}`,
    sql<RaceRow[]>`
      ${races(sql)}
      where ${isPast}
      order by coalesce(r.completed_at, r.cancelled_at) desc, r.race_number desc, r.race_id
      limit ${limit} offset ${offset}`,
  ]);
  return { total: count?.total ?? 0, races: page };
}
