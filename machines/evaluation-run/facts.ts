import { z } from 'zod';
import type {
  ExclusionReason,
  RunCancelReason,
  StaleReason,
  ToldReason,
} from '../reasons/codes.ts';
import { executionKinds, type FaultClass, faultClasses, phases } from '../types.ts';

/** Integer sums over the stored results of a run: all that a score and a blame need. */
export const tally = z.object({
  items: z.number().int().min(0),
  /** Sum over results with `verdict_correct`, in 10^-6. */
  rewardMicro: z.number().int().min(0),
  /** Results that are environment_error or verifier_error. */
  broken: z.number().int().min(0),
  /** Results that are leakage or exploit. */
  integrity: z.number().int().min(0),
});
export type Tally = z.infer<typeof tally>;

export const emptyTally: Tally = { items: 0, rewardMicro: 0, broken: 0, integrity: 0 };

/** Fixed at the claim. */
export const runIdentity = z.object({
  evalRunId: z.string(),
  workItemId: z.string(),
  agentVersionId: z.string(),
  suiteId: z.number().int(),
  phase: z.enum(phases),
  raceId: z.string().nullable(),
  executionKind: z.enum(executionKinds),
  envPackSha256: z.string().nullable(),
  validatorHotkey: z.string(),
  slot: z.number().int().min(0),
  fence: z.number().int().min(1),
  expectedItems: z.number().int().min(0),
});
export type RunIdentity = z.infer<typeof runIdentity>;

/** The success that a run judges again, and for whom. */
export const rejudgedRun = z.object({ rejudgingId: z.string(), evalRunId: z.string() });
export type RejudgedRun = z.infer<typeof rejudgedRun>;

/** The first answer to the completion, kept so that an equal replay gets it again. */
const completion = z.object({ digest: z.string(), reply: z.unknown() });
export type Completion = z.infer<typeof completion>;

export const runContext = runIdentity.extend({
  claimedAt: z.number(),
  startedAt: z.number().nullable(),
  /** The latest claim, progress or stored result. */
  progressAt: z.number(),
  /** The latest promise that was written; heartbeats promise more in memory. */
  leaseUntil: z.number(),
  endedAt: z.number().nullable(),
  tally,
  isIncluded: z.boolean(),
  exclusionReason: z.string().nullable(),
  scoreMicro: z.number().int().nullable(),
  faultClass: z.enum(faultClasses).nullable(),
  endReason: z.string().nullable(),
  completion: completion.nullable(),
  /** Null for a run that a version's score or a race asked for. */
  rejudges: rejudgedRun.nullable(),
});
export type RunContext = z.infer<typeof runContext>;

interface Sign {
  readonly at: number;
  readonly leaseUntil: number;
}

interface End {
  readonly at: number;
}

export type RunFact =
  | ({
      readonly type: 'CLAIMED';
      readonly run: RunIdentity;
      readonly rejudges?: RejudgedRun;
    } & Sign)
  | ({ readonly type: 'STARTED' } & Sign)
  | ({ readonly type: 'PROGRESS_RECORDED' } & Sign)
  | ({ readonly type: 'RESULTS_STORED'; readonly added: Tally } & Sign)
  | ({
      readonly type: 'SUCCEEDED';
      readonly scoreMicro: number;
      readonly isIncluded: boolean;
      readonly exclusionReason: ExclusionReason | null;
      readonly completion: Completion;
    } & End)
  | ({
      readonly type: 'FAILED' | 'RUN_TIMED_OUT';
      readonly faultClass: FaultClass;
      readonly completion: Completion;
    } & End)
  | ({ readonly type: 'STALED'; readonly reason: StaleReason } & End)
  | ({ readonly type: 'CANCELLED'; readonly reason: RunCancelReason | ToldReason } & End)
  | { readonly type: 'EXCLUDED'; readonly reason: ExclusionReason | ToldReason }
  | { readonly type: 'INCLUDED' }
  /** Takes the place of the run that it judged again. */
  | { readonly type: 'ADOPTED'; readonly workItemId: string; readonly fence: number };
