import { z } from 'zod';

const share = z.number().int().min(0).max(1_000_000);
const score = z.string().regex(/^[01]\.\d{4}$/);

/**
 * The rules that one race is run by, fixed when it opens: a change of the policy counts from the
 * next race on. Shares and margins are integers of 10^-6, scores texts with four decimal places.
 */
export const racePolicy = z.object({
  qualifyingThreshold: score,
  requiredSuccesses: z.number().int().min(1),
  raceTasks: z.number().int().min(1),
  eliminationShareMicro: share,
  /** Races in the window of Overall, this one included; also its divisor. */
  windowRaces: z.number().int().min(1),
  marginInitialMicro: share,
  marginFloorMicro: share,
  marginHalfLifeMs: z.number().int().min(1),
  burnRateMicro: share,
  raceLimitMs: z.number().int().min(1),
  /** After completion; 0 for a legacy suite. */
  embargoMs: z.number().int().min(0),
});
export type RacePolicy = z.infer<typeof racePolicy>;
