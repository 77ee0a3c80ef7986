import { isSurvivor, lastRaceOf } from '../../../actors/runtime/race-rows.ts';
import type { Sql } from '../../../infra/ports/sql.ts';

/** A version as a board holds it: scores in integers of 10^-4, instants in microseconds. */
export interface BoardRow {
  readonly agentVersionId: string;
  readonly agentName: string;
  readonly minerHotkey: string;
  readonly versionNumber: number;
  readonly isEligible: boolean;
  readonly qualifyingScore: number | null;
  readonly finalScore: number | null;
  readonly scoreLow: number | null;
  readonly scoreHigh: number | null;
  readonly submittedAtUs: number;
  readonly eligibleAtUs: number | null;
  readonly eliminatedAtUs: number | null;
  readonly isMinerBanned: boolean;
  /** By its miner, for the next race. */
  readonly isPinned: boolean;
  /** Of the latest completed race that scored the version, as is all up to `raceReleasedAtUs`. */
  readonly raceNumber: number | null;
  readonly raceScore: number | null;
  readonly weightedScore: number | null;
  readonly raceScoreLow: number | null;
  readonly raceScoreHigh: number | null;
  /** From when on the bounds of its score may be told. */
  readonly raceReleasedAtUs: number | null;
  /**
   * An entrant of the suite's latest completed race that was not eliminated in it, and finished or did not by
   * no fault of its own.
   */
  readonly isSurvivor: boolean;
  /** The start of the latest reign. */
  readonly topAt: Date | null;
  /** Its reign is open, whatever else may have ended it. */
  readonly isReigning: boolean;
}

const microseconds = (sql: Sql, at: string) =>
  sql`floor(extract(epoch from ${sql(at)}) * 1000000)::float8`;

const units = (sql: Sql, score: string) => sql`(${sql(score)} * 10000)::int`;

const columns = (sql: Sql) => sql`
  v.agent_version_id as "agentVersionId", v.agent_name as "agentName",
  v.miner_hotkey as "minerHotkey", v.version_number as "versionNumber",
  v.state = 'ELIGIBLE' as "isEligible", ${units(sql, 'v.qualifying_score')} as "qualifyingScore",
  ${units(sql, 'v.final_score')} as "finalScore", ${units(sql, 'v.score_low')} as "scoreLow",
  ${units(sql, 'v.score_high')} as "scoreHigh",
  ${microseconds(sql, 'v.submitted_at')} as "submittedAtUs",
  ${microseconds(sql, 'v.eligible_at')} as "eligibleAtUs",
  ${microseconds(sql, 'v.eliminated_at')} as "eliminatedAtUs",
  b.hotkey is not null as "isMinerBanned", p.agent_version_id is not null as "isPinned"`;

const source = (sql: Sql) => sql`
  agent_version v
  left join hotkey_ban b on b.hotkey = v.miner_hotkey
  left join race_pin p
    on p.miner_hotkey = v.miner_hotkey and p.agent_version_id = v.agent_version_id`;

/** In the order of the board, without what only versions have that raced or reigned. */
export function eligibleRows(
  sql: Sql,
  suiteId: number,
  rowsAtOnce: number,
): AsyncIterable<readonly BoardRow[]> {
  return sql<BoardRow[]>`
    select ${columns(sql)}, null as "raceNumber", null as "raceScore", null as "weightedScore",
      null as "raceScoreLow", null as "raceScoreHigh", null as "raceReleasedAtUs",
      false as "isSurvivor", null as "topAt", false as "isReigning"
    from ${source(sql)}
    where v.suite_id = ${suiteId} and v.state = 'ELIGIBLE'
    order by v.qualifying_score desc, v.agent_version_id`.cursor(rowsAtOnce);
}

/** Everything of the suite's versions that are named, or whose miner is. */
export async function boardRows(
  sql: Sql,
  suiteId: number,
  of: { readonly versions: readonly string[]; readonly hotkeys: readonly string[] },
): Promise<readonly BoardRow[]> {
  return await sql<BoardRow[]>`
    with named as (
      select agent_version_id from agent_version
      where agent_version_id = any (${[...of.versions]}::uuid[]) and suite_id = ${suiteId}
      union
      select agent_version_id from agent_version
      where miner_hotkey = any (${[...of.hotkeys]}::text[]) and suite_id = ${suiteId}
    )
    ${wholeRows(sql, suiteId)}`;
}

/**
 * Everything of those that raced or reigned, and of those of any state that were submitted lately; in the
 * order of the board by race.
 */
export function remarkableRows(
  sql: Sql,
  {
    suiteId,
    submittedAfterUs,
    rowsAtOnce,
  }: { readonly suiteId: number; readonly submittedAfterUs: number; readonly rowsAtOnce: number },
): AsyncIterable<readonly BoardRow[]> {
  return sql<BoardRow[]>`
    with named as (
      select e.agent_version_id
      from race_entrant e
      join race r on r.race_id = e.race_id
      where r.suite_id = ${suiteId} and r.status = 'RACE_COMPLETE'
      union
      select agent_version_id from top_agent where suite_id = ${suiteId}
      union
      select agent_version_id from agent_version
      where suite_id = ${suiteId} and state <> 'ELIGIBLE'
        and submitted_at > timestamptz 'epoch' + ${submittedAfterUs} * interval '1 microsecond'
    )
    ${wholeRows(sql, suiteId)}
    order by raced.weighted_score desc nulls last, raced.race_score desc, v.agent_version_id`.cursor(
    rowsAtOnce,
  );
}

/** Of the versions `named`. */
const wholeRows = (sql: Sql, suiteId: number) => sql`
  select ${columns(sql)}, raced.race_number as "raceNumber",
    ${units(sql, 'raced.race_score')} as "raceScore",
    ${units(sql, 'raced.weighted_score')} as "weightedScore",
    ${units(sql, 'raced.score_low')} as "raceScoreLow",
    ${units(sql, 'raced.score_high')} as "raceScoreHigh",
    ${microseconds(sql, 'raced.released_at')} as "raceReleasedAtUs",
    survivor.agent_version_id is not null as "isSurvivor",
    reign.top_at as "topAt", reign.is_open as "isReigning"
  from ${source(sql)}
  join named on named.agent_version_id = v.agent_version_id
  left join lateral (
    select r.race_number, e.race_score, e.weighted_score, e.score_low, e.score_high, r.released_at
    from race_entrant e
    join race r on r.race_id = e.race_id
    where e.agent_version_id = v.agent_version_id and e.weighted_score is not null
      and r.status = 'RACE_COMPLETE'
    order by r.race_number desc
    limit 1
  ) raced on true
  left join race_entrant survivor on survivor.agent_version_id = v.agent_version_id
    and ${isSurvivor(sql, sql`survivor`)} and survivor.race_id = (${lastRaceOf(sql, sql`${suiteId}`)})
  cross join lateral (
    select max(t.top_at) as top_at, coalesce(bool_or(t.ended_at is null), false) as is_open
    from top_agent t
    where t.agent_version_id = v.agent_version_id
  ) reign`;

/** Entrants of the suite's races from this one on, whatever has become of those. */
export async function racedSince(
  sql: Sql,
  suiteId: number,
  raceNumber: number,
): Promise<readonly string[]> {
  const rows = await sql<{ agentVersionId: string }[]>`
    select distinct agent_version_id as "agentVersionId"
    from race_entrant
    where race_id = any (array(
      select race_id from race where suite_id = ${suiteId} and race_number >= ${raceNumber}))`;
  return rows.map(({ agentVersionId }) => agentVersionId);
}

/** What was committed until some moment, as the database tells it. */
export interface Seen {
  readonly snapshot: string;
  /** Of the server's life: another one may know less than was seen. */
  readonly startedAt: string;
  readonly wallMs: number;
}

export interface BoardNews {
  readonly seen: Seen;
  /** The domain's now. */
  readonly nowUs: number;
  /** What may be another row now. */
  readonly versions: readonly string[];
  /** Whose rows may be others now. */
  readonly hotkeys: readonly string[];
  /** The suite, its race or a reign may be another one now. */
  readonly isWide: boolean;
}

/**
 * What was committed after the snapshot, one at least as new as this call's. A transaction that was under
 * way then is in it if it has ended since, however many have begun and ended meanwhile.
 */
export async function newsSince(sql: Sql, snapshot: string | undefined): Promise<BoardNews> {
  const after = snapshot ?? null;
  const [row] = await sql<(Seen & Omit<BoardNews, 'seen'>)[]>`
    select pg_current_snapshot()::text as snapshot, pg_postmaster_start_time()::text as "startedAt",
      floor(extract(epoch from rt.wall_clock()) * 1000)::float8 as "wallMs",
      floor(extract(epoch from rt.clock()) * 1000000)::float8 as "nowUs",
      coalesce(array_agg(distinct c.agent_version_id)
        filter (where c.agent_version_id is not null), '{}') as versions,
      coalesce(array_agg(distinct c.miner_hotkey)
        filter (where c.miner_hotkey is not null), '{}') as hotkeys,
      coalesce(bool_or(c.agent_version_id is null and c.miner_hotkey is null), false) as "isWide"
    from rt.board_change c
    where c.xid >= pg_snapshot_xmin(coalesce(${after}::text::pg_snapshot, pg_current_snapshot()))
      and c.xid < pg_snapshot_xmax(pg_current_snapshot())
      and not pg_visible_in_snapshot(
        c.xid, coalesce(${after}::text::pg_snapshot, pg_current_snapshot()))`;
  if (row === undefined) throw new Error('a read of one row found none');
  const { startedAt, wallMs, nowUs, versions, hotkeys, isWide } = row;
  return { seen: { snapshot: row.snapshot, startedAt, wallMs }, nowUs, versions, hotkeys, isWide };
}
