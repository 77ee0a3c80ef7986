import { z } from 'zod';
import type { DiscardReason, ToldReason, VersionCancelReason } from '../reasons/codes.ts';

/** Fixed at the admission. */
export const versionIdentity = z.object({
  agentVersionId: z.string(),
  agentId: z.string(),
  agentName: z.string(),
  minerHotkey: z.string(),
  minerColdkey: z.string().nullable(),
  suiteId: z.number().int(),
  codeSha256: z.string(),
  codeSizeBytes: z.number().int(),
  submittedAt: z.number(),
  requiredSuccesses: z.number().int().min(1),
});
export type VersionIdentity = z.infer<typeof versionIdentity>;

const score = z.string().nullable();

/** Texts with four decimal places; all null until the required successes are there. */
export const qualifyingScores = z.object({ mean: score, low: score, high: score });
export type QualifyingScores = z.infer<typeof qualifyingScores>;

export const versionContext = versionIdentity.extend({
  consecutiveAgentFailures: z.number().int().min(0),
  scores: qualifyingScores,
  eligibleAt: z.number().nullable(),
  discardedAt: z.number().nullable(),
  discardReason: z.string().nullable(),
});
export type VersionContext = z.infer<typeof versionContext>;

export type VersionFact =
  | { readonly type: 'RECEIVED'; readonly version: VersionIdentity }
  | { readonly type: 'QUEUED' }
  | { readonly type: 'EVALUATION_STARTED' }
  | { readonly type: 'AGENT_FAULT_COUNTED' }
  | { readonly type: 'AGENT_FAULTS_CLEARED' }
  | { readonly type: 'SCORED'; readonly scores: QualifyingScores }
  | { readonly type: 'BECAME_ELIGIBLE'; readonly at: number }
  | {
      readonly type: 'DISCARDED';
      readonly at: number;
      readonly reason: DiscardReason | ToldReason;
    }
  | {
      readonly type: 'VERSION_CANCELLED';
      readonly at: number;
      readonly reason: VersionCancelReason;
    }
  | { readonly type: 'REINSTATED'; readonly to: 'queued' | 'running' | 'eligible' };
