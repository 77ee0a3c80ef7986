import type { Sql } from '../../../infra/ports/sql.ts';
import type { Entrant, FieldCandidate } from '../../../machines/race/field.ts';
import { selectField } from '../../../machines/race/select-field.ts';
import type { RaceRow } from './races.ts';

/** Whom a close of qualifying would enter now; of all hotkeys, or of the given ones. */
export async function wouldBeEntrants(
  sql: Sql,
  { suiteId, qualifyingThreshold }: Pick<RaceRow, 'qualifyingThreshold' | 'suiteId'>,
  hotkeys?: readonly string[],
): Promise<readonly Entrant[]> {
  const candidates = await contenders(sql, suiteId, hotkeys);
  return selectField(candidates, { suiteId, qualifyingThreshold }).entrants;
}

/**
 * The versions among which the rule chooses: pinned ones, survivors, the top and each hotkey's best.
 * The others lose against that one whatever else holds, and there are many times more of them.
 */
async function contenders(
  sql: Sql,
  suiteId: number,
  hotkeys: readonly string[] | undefined,
): Promise<readonly FieldCandidate[]> {
  return await sql<FieldCandidate[]>`
    with able as (
      select v.agent_version_id, v.miner_hotkey, v.state, v.suite_id, v.qualifying_score,
        v.submitted_at, row_number() over (
          partition by v.miner_hotkey
          order by v.qualifying_score desc nulls last, v.submitted_at desc, v.agent_version_id
        ) as place
      from agent_version v
      where v.suite_id = ${suiteId} and v.state = 'ELIGIBLE' and v.eliminated_at is null
        and ${hotkeys === undefined ? sql`true` : sql`v.miner_hotkey = any (${[...hotkeys]}::text[])`}
    ), latest as (
      select race_id
      from race
      where suite_id = ${suiteId} and status = 'RACE_COMPLETE'
      order by race_number desc
      limit 1
    )
    select a.agent_version_id as "agentVersionId", a.miner_hotkey as "minerHotkey", a.state,
      a.suite_id as "suiteId", a.qualifying_score as "qualifyingScore",
      floor(extract(epoch from a.submitted_at) * 1000)::float8 as "submittedAt",
      false as "isEliminated", b.hotkey is not null as "isMinerBanned",
      e.agent_version_id is not null as "isSurvivor", t.top_id is not null as "isTop",
      p.miner_hotkey is not null as "isPinned"
    from able a
    left join hotkey_ban b on b.hotkey = a.miner_hotkey
    left join race_pin p
      on p.miner_hotkey = a.miner_hotkey and p.agent_version_id = a.agent_version_id
    left join race_entrant e
      on e.race_id = (select race_id from latest) and e.agent_version_id = a.agent_version_id
      and e.race_score is not null and not e.is_eliminated
    left join top_agent t
      on t.agent_version_id = a.agent_version_id and t.suite_id = a.suite_id and t.ended_at is null
    where a.place = 1 or p.miner_hotkey is not null or e.agent_version_id is not null
      or t.top_id is not null`;
}

export interface OpenRace {
  readonly suiteId: number;
  /** Four decimal places as text. */
  readonly qualifyingThreshold: string;
  /** By hotkey, the version that races; undefined until qualifying is closed. */
  readonly entrants: ReadonlyMap<string, string> | undefined;
}

/** The suite's race that has not ended. */
export async function openRaceOf(sql: Sql, suiteId: number): Promise<OpenRace | undefined> {
  const [race] = await sql<{ raceId: string; isOpen: boolean; qualifyingThreshold: string }[]>`
    select race_id as "raceId", status = 'QUALIFYING_OPEN' as "isOpen",
      policy ->> 'qualifyingThreshold' as "qualifyingThreshold"
    from race
    where suite_id = ${suiteId} and status not in ('RACE_COMPLETE', 'RACE_CANCELLED')`;
  if (race === undefined) return undefined;
  const { qualifyingThreshold } = race;
  if (race.isOpen) return { suiteId, qualifyingThreshold, entrants: undefined };
  const racing = await sql<Pick<Entrant, 'agentVersionId' | 'minerHotkey'>[]>`
    select agent_version_id as "agentVersionId", miner_hotkey as "minerHotkey"
    from race_entrant
    where race_id = ${race.raceId}`;
  return { suiteId, qualifyingThreshold, entrants: byHotkey(racing) };
}

/** By hotkey, the version that races in the suite's unfinished race, or would if it closed now. */
export async function racingVersions(
  sql: Sql,
  suiteId: number,
  hotkeys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const race = await openRaceOf(sql, suiteId);
  if (race === undefined) return new Map();
  return race.entrants ?? byHotkey(await wouldBeEntrants(sql, race, hotkeys));
}

function byHotkey(
  entrants: readonly Pick<Entrant, 'agentVersionId' | 'minerHotkey'>[],
): ReadonlyMap<string, string> {
  return new Map(entrants.map((one) => [one.minerHotkey, one.agentVersionId]));
}
