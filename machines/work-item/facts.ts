import { z } from 'zod';
import type {
  ExclusionReason,
  HoldReason,
  JudgingEndReason,
  ReopeningReason,
  ToldReason,
  WorkCancelReason,
} from '../reasons/codes.ts';
import { phases } from '../types.ts';

/** Fixed when the work is opened. */
export const workIdentity = z.object({
  workItemId: z.string(),
  agentVersionId: z.string(),
  suiteId: z.number().int(),
  phase: z.enum(phases),
  raceId: z.string().nullable(),
  minerHotkey: z.string(),
  minerColdkey: z.string().nullable(),
  requiredSuccesses: z.number().int().min(1),
  queuedAt: z.number(),
});
export type WorkIdentity = z.infer<typeof workIdentity>;

/**
 * The success that work was opened to judge again. Such work is done once, by another validator, and
 * counts for nothing before an operator applies it.
 */
export const judgedSuccess = z.object({
  rejudgingId: z.string(),
  evalRunId: z.string(),
  /** What the judged run belongs to. */
  workItemId: z.string(),
  validatorHotkey: z.string(),
});
export type JudgedSuccess = z.infer<typeof judgedSuccess>;

const holder = z.object({ evalRunId: z.string(), validatorHotkey: z.string() });
const success = holder.extend({ scoreMicro: z.number().int() });
export type Success = z.infer<typeof success>;

export const workContext = workIdentity.extend({
  /** Strictly grows over claims and is never given out twice. */
  nextFence: z.number().int().min(1),
  live: z.array(holder),
  included: z.array(success),
  /** Those who `hadInVain`: it is stored by the name of when only giving back counted. */
  releasedBy: z.array(z.string()),
  /** Stale and platform-failed runs. */
  troubles: z.number().int().min(0),
  holdUntil: z.number().nullable(),
  holdReason: z.string().nullable(),
  isMinerBanned: z.boolean(),
  closedAt: z.number().nullable(),
  closeReason: z.string().nullable(),
  /** Null for work that a version's score or a race asks for. */
  rejudges: judgedSuccess.nullable(),
  /** What judging again came to. */
  verdict: success.nullable(),
});
export type WorkContext = z.infer<typeof workContext>;

export type WorkFact =
  | { readonly type: 'OPENED'; readonly work: WorkIdentity; readonly rejudges?: JudgedSuccess }
  | {
      readonly type: 'LEASED';
      readonly evalRunId: string;
      readonly validatorHotkey: string;
      readonly fence: number;
    }
  | {
      readonly type: 'LEASE_ENDED';
      readonly evalRunId: string;
      readonly isTrouble: boolean;
      /** Stored by that name, whoever had it in vain. */
      readonly releasedBy: string | null;
    }
  | {
      readonly type: 'SUCCESS_INCLUDED';
      readonly evalRunId: string;
      readonly validatorHotkey: string;
      readonly scoreMicro: number;
    }
  | {
      readonly type: 'SUCCESS_EXCLUDED';
      readonly evalRunId: string;
      readonly reason: ExclusionReason | ToldReason;
    }
  | {
      readonly type: 'SUCCESS_REPLACED';
      readonly evalRunId: string;
      readonly by: Success;
      /** The place of the new run among the runs of this work. */
      readonly fence: number;
    }
  | { readonly type: 'VERDICT_REACHED'; readonly verdict: Success; readonly at: number }
  | { readonly type: 'VERDICT_APPLIED' }
  | { readonly type: 'VERDICT_DROPPED'; readonly reason: JudgingEndReason }
  | { readonly type: 'HELD'; readonly until: number; readonly reason: HoldReason }
  | { readonly type: 'MINER_BANNED' }
  | { readonly type: 'MINER_UNBANNED' }
  | { readonly type: 'CLOSED'; readonly at: number }
  | { readonly type: 'REOPENED'; readonly reason: ReopeningReason | ToldReason }
  | {
      readonly type: 'WORK_CANCELLED';
      readonly at: number;
      readonly reason: JudgingEndReason | WorkCancelReason | ToldReason;
    };
