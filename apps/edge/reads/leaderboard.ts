import type { Sql } from '../../../infra/ports/sql.ts';

export interface LeaderboardQuery {
  readonly suiteId: number;
  readonly limit: number;
  readonly offset: number;
  /** Substring of the name or prefix of the hotkey, case-insensitive; undefined for everybody. */
  readonly search: string | undefined;
}

export interface LeaderboardRow {
  readonly rank: number;
  readonly agentVersionId: string;
  readonly agentName: string;
  readonly minerHotkey: string;
  readonly versionNumber: number;
  readonly state: string;
  readonly finalScore: string | null;
  readonly qualifyingScore: string | null;
  readonly scoreLow: string | null;
  readonly scoreHigh: string | null;
  readonly eligibleAt: Date | null;
  readonly eliminatedAt: Date | null;
  readonly isMinerBanned: boolean;
  readonly isActiveQualifier: boolean;
  readonly outrankedBy: string | null;
}

const escapeLike = (text: string) => text.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`);

function matches(sql: Sql, search: string | undefined) {
  if (search === undefined) return sql`true`;
  const pattern = escapeLike(search.toLowerCase());
  return sql`(lower(agent_name) like ${`%${pattern}%`} or lower(miner_hotkey) like ${`${pattern}%`})`;
}

/**
 * Eligible versions in a total order: score descending, then version id. The rank is the place on
 * the whole board, also when a search narrows the answer. A miner's best version (newer wins a tie,
 * then the smaller id: rules.md section 3) outranks its others; it is the one that would race.
 */
export async function leaderboardPage(
  sql: Sql,
  query: LeaderboardQuery,
): Promise<readonly LeaderboardRow[]> {
  return await sql<LeaderboardRow[]>`
    with board as (
      select v.agent_version_id, v.agent_name, v.miner_hotkey, v.version_number, v.state,
        v.final_score, v.qualifying_score, v.score_low, v.score_high, v.eligible_at, v.eliminated_at,
        row_number() over (order by v.qualifying_score desc, v.agent_version_id)::int as rank,
        first_value(v.agent_version_id) over (
          partition by v.miner_hotkey
          order by (v.eliminated_at is not null), v.qualifying_score desc, v.submitted_at desc,
            v.agent_version_id
        ) as best_id
      from agent_version v
      where v.suite_id = ${query.suiteId} and v.state = 'ELIGIBLE'
    ), shown as (
      select rank, agent_version_id, agent_name, miner_hotkey, version_number, state, final_score,
        qualifying_score, score_low, score_high, eligible_at, eliminated_at, best_id
      from board
      where ${matches(sql, query.search)}
      order by rank
      limit ${query.limit} offset ${query.offset}
    )
    select s.rank, s.agent_version_id as "agentVersionId", s.agent_name as "agentName",
      s.miner_hotkey as "minerHotkey", s.version_number as "versionNumber", s.state,
      s.final_score as "finalScore", s.qualifying_score as "qualifyingScore",
      s.score_low as "scoreLow", s.score_high as "scoreHigh", s.eligible_at as "eligibleAt",
      s.eliminated_at as "eliminatedAt", (b.hotkey is not null) as "isMinerBanned",
      (s.agent_version_id = s.best_id and s.eliminated_at is null and b.hotkey is null
        and s.qualifying_score >= suite.qualifying_threshold) as "isActiveQualifier",
      nullif(s.best_id, s.agent_version_id) as "outrankedBy"
    from shown s
    join suite on suite.suite_id = ${query.suiteId}
    left join hotkey_ban b on b.hotkey = s.miner_hotkey
    order by s.rank`;
}

export interface BoardTotals {
  readonly total: number;
  readonly uniqueMiners: number;
  readonly submitted24h: number;
}

export async function boardTotals(
  sql: Sql,
  suiteId: number,
  search: string | undefined,
): Promise<BoardTotals> {
  const [row] = await sql<BoardTotals[]>`
    select count(*) filter (where state = 'ELIGIBLE' and ${matches(sql, search)})::int as total,
      count(distinct miner_hotkey) filter (where state = 'ELIGIBLE')::int as "uniqueMiners",
      count(*) filter (where submitted_at > rt.clock() - interval '24 hours')::int as "submitted24h"
    from agent_version
    where suite_id = ${suiteId}`;
  return row ?? { total: 0, uniqueMiners: 0, submitted24h: 0 };
}
