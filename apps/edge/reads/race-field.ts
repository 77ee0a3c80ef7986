import type { Sql } from '../../../infra/ports/sql.ts';
import type { Entrant, Fallback, FieldCandidate } from '../../../machines/race/field.ts';
import { selectField } from '../../../machines/race/select-field.ts';
import { type RaceRow, unfinishedRaceOf } from './races.ts';

/** Who races, and whose pin could not be honoured. */
export interface RaceField {
  readonly entrants: readonly Entrant[];
  readonly fallbacks: readonly Fallback[];
}

type OpenRace = Pick<RaceRow, 'qualifyingThreshold' | 'raceId' | 'suiteId'>;

/** Fixed at the close; until then what a close would fix now. */
export async function raceField(
  sql: Sql,
  race: OpenRace & Pick<RaceRow, 'status'>,
): Promise<RaceField> {
  if (race.status === 'QUALIFYING_OPEN') return await fieldNow(sql, race);
  const [entrants, fallbacks] = await Promise.all([
    sql<Entrant[]>`
      select agent_version_id as "agentVersionId", miner_hotkey as "minerHotkey",
        qualification_type as "qualificationType", qualifying_score as "qualifyingScore"
      from race_entrant
      where race_id = ${race.raceId}`,
    sql<Fallback[]>`
      select agent_version_id as "agentVersionId", miner_hotkey as "minerHotkey", reason
      from race_fallback
      where race_id = ${race.raceId}`,
  ]);
  return { entrants, fallbacks };
}

async function fieldNow(
  sql: Sql,
  { raceId, suiteId, qualifyingThreshold }: OpenRace,
): Promise<RaceField> {
  const [row] = await sql<{ candidates: FieldCandidate[] }[]>`
    select rt.race_field(${raceId}) as candidates`;
  return selectField(row?.candidates ?? [], { suiteId, qualifyingThreshold });
}

/** By hotkey, the version that races in the suite's unfinished race, or would if it closed now. */
export async function racingVersions(
  sql: Sql,
  suiteId: number,
): Promise<ReadonlyMap<string, string>> {
  const race = await unfinishedRaceOf(sql, suiteId);
  if (race === undefined) return new Map();
  const { entrants } = await raceField(sql, race);
  return new Map(entrants.map((one) => [one.minerHotkey, one.agentVersionId]));
}
