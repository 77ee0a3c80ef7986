import { z } from 'zod';

/** The standings of one epoch. */
export const epochStandings = z.object({
  epochIndex: z.number().int().min(0),
  /** The latest completed race; null before there was one. */
  raceId: z.string().nullable(),
  bodySha256: z.string(),
  at: z.number(),
});
export type EpochStandings = z.infer<typeof epochStandings>;

export const emissionContext = z.object({ made: epochStandings.nullable() });
export type EmissionContext = z.infer<typeof emissionContext>;

export type EmissionFact = { readonly type: 'STANDINGS_MADE'; readonly made: EpochStandings };
