import { z } from 'zod';
import type { QualifierRow } from '../reads/qualifiers.ts';
import type { RaceRow } from '../reads/races.ts';
import { qualifier, toQualifier } from './qualifier.ts';
import { hasPublicResult, race, toRace } from './race.ts';

export const raceDetails = z
  .object({ race: race.nullable(), qualifiers: z.array(qualifier) })
  .meta({ id: 'RaceDetails' });

/** While qualifying is open, the qualifiers are those who would race now. */
export function toRaceDetails(
  row: RaceRow,
  qualifiers: readonly QualifierRow[],
): z.infer<typeof raceDetails> {
  const isDecided = hasPublicResult(row);
  return {
    race: toRace({ ...row, qualifierCount: qualifiers.length }),
    qualifiers: qualifiers.map((entrant) => toQualifier(entrant, isDecided)),
  };
}
