import { z } from 'zod';
import type { RaceCancelReason, ToldReason } from '../reasons/codes.ts';
import { racePolicy } from './policy.ts';

/** Fixed when the race opens. Instants are Unix milliseconds. */
export const raceIdentity = z.object({
  raceId: z.string(),
  suiteId: z.number().int(),
  raceNumber: z.number().int().min(1),
  policyVersion: z.number().int().min(0),
  policy: racePolicy,
  openedAt: z.number(),
  /** When qualifying closes unless somebody orders it before. */
  closesAt: z.number(),
});
export type RaceIdentity = z.infer<typeof raceIdentity>;

export const raceContext = raceIdentity.extend({
  closedAt: z.number().nullable(),
  /** By hotkey; frozen from the close on. */
  entrantIds: z.array(z.string()),
  startedAt: z.number().nullable(),
  /** Completed then with whoever finished. */
  deadlineAt: z.number().nullable(),
  /** Completed or cancelled. */
  endedAt: z.number().nullable(),
  /** From here on its detail is public; null unless it completed. */
  releasedAt: z.number().nullable(),
  winnerId: z.string().nullable(),
  /** The winner that became top, if it did. */
  promotedId: z.string().nullable(),
  cancelReason: z.string().nullable(),
});
export type RaceContext = z.infer<typeof raceContext>;

export type RaceFact =
  | { readonly type: 'RACE_OPENED'; readonly race: RaceIdentity }
  | {
      readonly type: 'QUALIFYING_CLOSED';
      readonly at: number;
      readonly entrantIds: readonly string[];
    }
  | { readonly type: 'RACE_STARTED'; readonly at: number; readonly deadlineAt: number }
  | {
      readonly type: 'RACE_COMPLETED';
      readonly at: number;
      readonly releasedAt: number;
      readonly winnerId: string;
      readonly promotedId: string | null;
    }
  | {
      readonly type: 'RACE_CANCELLED';
      readonly at: number;
      readonly reason: RaceCancelReason | ToldReason;
    };
