import type { LeaderboardRow } from '../../apps/edge/board/leaderboard-row.ts';
import { openRaceOf, wouldBeEntrants } from '../../apps/edge/reads/race-field.ts';
import type { Sql } from '../../infra/ports/sql.ts';

// The boards as plain SQL: what those in memory have to answer, and what they are measured beside.

interface LeaderboardQuery {
  readonly suiteId: number;
  readonly limit: number;
  readonly offset: number;
  /** Substring of the name or prefix of the hotkey, case-insensitive; undefined for everybody. */
  readonly search: string | undefined;
}

interface BoardTotals {
  readonly total: number;
  readonly uniqueMiners: number;
  readonly submitted24h: number;
}

const escapeLike = (text: string) => text.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`);

function matches(sql: Sql, search: string | undefined) {
  if (search === undefined) return sql`true`;
  const pattern = escapeLike(search.toLowerCase());
  return sql`(lower(agent_name) like ${`%${pattern}%`} or lower(miner_hotkey) like ${`${pattern}%`})`;
}

const onBoard = (sql: Sql, suiteId: number) => sql`
  agent_version v
  where v.suite_id = ${suiteId} and v.state = 'ELIGIBLE' and v.qualifying_score is not null`;

/**
 * Eligible versions in a total order: score descending, then version id. The rank is the place on
 * the whole board, also when a search narrows the answer.
 */
export async function plainBoardPage(
  sql: Sql,
  query: LeaderboardQuery,
): Promise<readonly LeaderboardRow[]> {
  return await sql<LeaderboardRow[]>`
    with board as (
      select v.agent_version_id, v.agent_name, v.miner_hotkey, v.version_number, v.state,
        v.final_score, v.qualifying_score, v.score_low, v.score_high, v.eligible_at,
        v.eliminated_at,
        row_number() over (order by v.qualifying_score desc, v.agent_version_id)::int as rank
      from ${onBoard(sql, query.suiteId)}
    ),
    shown as (
      select rank, agent_version_id, agent_name, miner_hotkey, version_number, state, final_score,
        qualifying_score, score_low, score_high, eligible_at, eliminated_at
      from board
      where ${matches(sql, query.search)}
      order by rank
      limit ${query.limit} offset ${query.offset}
    )
    select s.rank, s.agent_version_id as "agentVersionId", s.agent_name as "agentName",
      s.miner_hotkey as "minerHotkey", s.version_number as "versionNumber", s.state,
      s.final_score::float8 as "finalScore", s.qualifying_score::float8 as "qualifyingScore",
      raced.race_score::float8 as "raceScore", raced.weighted_score::float8 as "weightedScore",
      s.score_low::float8 as "scoreLow", s.score_high::float8 as "scoreHigh", s.eligible_at as "eligibleAt",
      s.eliminated_at as "eliminatedAt", (b.hotkey is not null) as "isMinerBanned",
      (reign.is_open and b.hotkey is null and suite.is_active) as "isCurrentTop",
      reign.top_at is not null as "wasTop", reign.top_at as "topAt"
    from shown s
    join suite on suite.suite_id = ${query.suiteId}
    left join hotkey_ban b on b.hotkey = s.miner_hotkey
    left join lateral (
      select e.race_score, e.weighted_score
      from race_entrant e
      join race r on r.race_id = e.race_id
      where e.agent_version_id = s.agent_version_id and e.weighted_score is not null
        and r.status = 'RACE_COMPLETE'
      order by r.race_number desc
      limit 1
    ) raced on true
    cross join lateral (
      select max(t.top_at) as top_at, coalesce(bool_or(t.ended_at is null), false) as is_open
      from top_agent t
      where t.agent_version_id = s.agent_version_id
    ) reign
    order by s.rank`;
}

export async function plainBoardTotals(
  sql: Sql,
  query: Pick<LeaderboardQuery, 'search' | 'suiteId'>,
): Promise<BoardTotals> {
  const [row] = await sql<BoardTotals[]>`
    with board as (select v.agent_name, v.miner_hotkey from ${onBoard(sql, query.suiteId)})
    select count(*) filter (where ${matches(sql, query.search)})::int as total,
      count(distinct miner_hotkey)::int as "uniqueMiners",
      (select count(*)::int from agent_version v
        where v.suite_id = ${query.suiteId}
          and v.submitted_at > rt.clock() - interval '24 hours') as "submitted24h"
    from board`;
  return row ?? { total: 0, uniqueMiners: 0, submitted24h: 0 };
}

/** Who is on the board: the eligible versions that a race has scored. */
const onRaceBoard = (sql: Sql, suiteId: number) => sql`
  agent_version v
  join (
    select distinct on (e.agent_version_id) e.agent_version_id, e.race_score, e.weighted_score,
      case when r.released_at <= rt.clock() then e.score_low end as score_low,
      case when r.released_at <= rt.clock() then e.score_high end as score_high
    from race r
    join race_entrant e on e.race_id = r.race_id
    where r.suite_id = ${suiteId} and r.status = 'RACE_COMPLETE' and e.weighted_score is not null
    order by e.agent_version_id, r.race_number desc
  ) raced on raced.agent_version_id = v.agent_version_id
  where v.suite_id = ${suiteId} and v.state = 'ELIGIBLE'`;

/**
 * Eligible versions by the score of their latest race, in a total order: score descending, then version
 * id. The rank is the place on the whole board, also when a search narrows the answer.
 */
export async function plainRaceBoardPage(
  sql: Sql,
  query: LeaderboardQuery,
): Promise<readonly LeaderboardRow[]> {
  return await sql<LeaderboardRow[]>`
    with board as (
      select v.agent_version_id, v.agent_name, v.miner_hotkey, v.version_number, v.state,
        v.final_score, v.qualifying_score, v.eligible_at, v.eliminated_at, raced.race_score,
        raced.weighted_score, raced.score_low, raced.score_high, row_number() over (
          order by raced.weighted_score desc, raced.race_score desc, v.agent_version_id
        )::int as rank
      from ${onRaceBoard(sql, query.suiteId)}
    )
    select s.rank, s.agent_version_id as "agentVersionId", s.agent_name as "agentName",
      s.miner_hotkey as "minerHotkey", s.version_number as "versionNumber", s.state,
      s.final_score::float8 as "finalScore", s.qualifying_score::float8 as "qualifyingScore",
      s.race_score::float8 as "raceScore", s.weighted_score::float8 as "weightedScore",
      s.score_low::float8 as "scoreLow", s.score_high::float8 as "scoreHigh",
      s.eligible_at as "eligibleAt", s.eliminated_at as "eliminatedAt",
      (b.hotkey is not null) as "isMinerBanned",
      (reign.is_open and b.hotkey is null and suite.is_active) as "isCurrentTop",
      reign.top_at is not null as "wasTop", reign.top_at as "topAt"
    from (
      select rank, agent_version_id, agent_name, miner_hotkey, version_number, state, final_score,
        qualifying_score, race_score, weighted_score, score_low, score_high, eligible_at,
        eliminated_at
      from board
      where ${matches(sql, query.search)}
      order by rank
      limit ${query.limit} offset ${query.offset}
    ) s
    join suite on suite.suite_id = ${query.suiteId}
    left join hotkey_ban b on b.hotkey = s.miner_hotkey
    cross join lateral (
      select max(t.top_at) as top_at, coalesce(bool_or(t.ended_at is null), false) as is_open
      from top_agent t
      where t.agent_version_id = s.agent_version_id
    ) reign
    order by s.rank`;
}

export async function plainRaceBoardTotals(
  sql: Sql,
  { suiteId, search }: Pick<LeaderboardQuery, 'search' | 'suiteId'>,
): Promise<BoardTotals> {
  const [row] = await sql<BoardTotals[]>`
    with board as (select v.agent_name, v.miner_hotkey from ${onRaceBoard(sql, suiteId)})
    select count(*) filter (where ${matches(sql, search)})::int as total,
      count(distinct miner_hotkey)::int as "uniqueMiners",
      (select count(*)::int from agent_version v
        where v.suite_id = ${suiteId}
          and v.submitted_at > rt.clock() - interval '24 hours') as "submitted24h"
    from board`;
  return row ?? { total: 0, uniqueMiners: 0, submitted24h: 0 };
}

/** By hotkey, the version that races in the suite's unfinished race, or would if it closed now. */
export async function plainRacing(sql: Sql, suiteId: number): Promise<ReadonlyMap<string, string>> {
  const race = await openRaceOf(sql, suiteId);
  if (race === undefined) return new Map();
  if (race.entrants !== undefined) return race.entrants;
  const entrants = await wouldBeEntrants(sql, race);
  return new Map(entrants.map((one) => [one.minerHotkey, one.agentVersionId]));
}
