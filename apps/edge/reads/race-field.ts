import type { Sql } from '../../../infra/ports/sql.ts';
import type { Entrant, FieldCandidate } from '../../../machines/race/field.ts';
import { selectField } from '../../../machines/race/select-field.ts';
import type { RaceRow } from './races.ts';

/** Whom a close of qualifying would enter now: chosen of what it would read, by its rule. */
export async function wouldBeEntrants(
  sql: Sql,
  {
    raceId,
    suiteId,
    qualifyingThreshold,
  }: Pick<RaceRow, 'qualifyingThreshold' | 'raceId' | 'suiteId'>,
): Promise<readonly Entrant[]> {
  const [row] = await sql<{ candidates: FieldCandidate[] }[]>`
    select rt.race_field(${raceId}) as candidates`;
  return selectField(row?.candidates ?? [], { suiteId, qualifyingThreshold }).entrants;
}

export interface OpenRace {
  readonly raceId: string;
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
  const { raceId, qualifyingThreshold } = race;
  const open = { raceId, suiteId, qualifyingThreshold };
  if (race.isOpen) return { ...open, entrants: undefined };
  const racing = await sql<Pick<Entrant, 'agentVersionId' | 'minerHotkey'>[]>`
    select agent_version_id as "agentVersionId", miner_hotkey as "minerHotkey"
    from race_entrant
    where race_id = ${raceId}`;
  const entrants = new Map(racing.map((one) => [one.minerHotkey, one.agentVersionId]));
  return { ...open, entrants };
}
