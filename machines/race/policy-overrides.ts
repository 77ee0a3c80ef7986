import { z } from 'zod';
import { type ExecutionKind, executionKinds } from '../types.ts';
import { type RacePolicy, racePolicy } from './policy.ts';
import { policyBounds } from './policy-bounds.ts';

const { tasksMax, windowRacesMax, marginHalfLifeDaysMax } = policyBounds;
const raceLimitMsMax = policyBounds.raceLimitSecondsMax * 1000;
const halfLifeMsMax = marginHalfLifeDaysMax * 86_400_000;

const { shape } = racePolicy;
const successes = shape.requiredSuccesses.max(policyBounds.requiredSuccessesMax).nullable();
const fields = z.object({
  qualifyingThreshold: shape.qualifyingThreshold.refine((text) => Number(text) <= 1).nullable(),
  requiredSuccessesQualifying: successes,
  requiredSuccesses: successes,
  raceTasks: shape.raceTasks.max(tasksMax).nullable(),
  eliminationShareMicro: shape.eliminationShareMicro.nullable(),
  windowRaces: shape.windowRaces.max(windowRacesMax).nullable(),
  marginInitialMicro: shape.marginInitialMicro.nullable(),
  marginFloorMicro: shape.marginFloorMicro.nullable(),
  marginHalfLifeMs: shape.marginHalfLifeMs.max(halfLifeMsMax).nullable(),
  burnRateMicro: shape.burnRateMicro.nullable(),
  // A race needs a second to be evaluated at all.
  raceLimitMs: shape.raceLimitMs.min(1000).max(raceLimitMsMax).nullable(),
});
const nothing = Object.fromEntries(Object.keys(fields.shape).map((name) => [name, null]));

/**
 * What operators have changed of the rules, in the words and units of RacePolicy. Null: as the suite
 * was created and, where it says nothing, as configured.
 */
export const policyOverrides = z.preprocess(
  (given) => (typeof given === 'object' ? { ...nothing, ...given } : given),
  fields,
);
export type PolicyOverrides = z.infer<typeof policyOverrides>;

/** One change: what is not named stays as it is. */
export const policyChanges = fields.partial();
export type PolicyChanges = z.infer<typeof policyChanges>;

/** What a suite was created with; an override moves the suite's row, and never this. */
export const suiteTerms = z.object({
  executionKind: z.enum(executionKinds),
  qualifyingThreshold: shape.qualifyingThreshold,
  requiredSuccessesQualifying: shape.requiredSuccesses,
  requiredSuccesses: shape.requiredSuccesses,
});

/** RacePolicy, and what the suite's versions need to qualify from the race's opening on. */
export interface EffectivePolicy extends RacePolicy {
  readonly requiredSuccessesQualifying: number;
}

/** As `public.policy_basis(suite_id)` answers: everything beside the configuration. */
export const policyBasis = z.object({
  /** 0 before the first change. */
  policyVersion: z.number().int().min(0),
  overrides: policyOverrides,
  suite: suiteTerms.nullable(),
});
export type PolicyBasis = z.infer<typeof policyBasis>;

/** The rules of a race that opens now: overrides over the suite's terms over the configuration. */
export function effectivePolicy(
  configured: EffectivePolicy,
  { overrides, suite }: Pick<PolicyBasis, 'overrides' | 'suite'>,
): EffectivePolicy {
  const { executionKind, ...terms } = suite ?? { executionKind: 'envpack' as const };
  const set = Object.entries(overrides).filter(([, value]) => value !== null);
  return {
    ...configured,
    ...terms,
    // Sound because what is left holds the values of PolicyOverrides without its nulls.
    ...(Object.fromEntries(set) as Partial<EffectivePolicy>),
    embargoMs: embargoOf(configured, executionKind),
  };
}

/** Nothing of a legacy suite is kept back: its problems are never used again in secret. */
function embargoOf({ embargoMs }: EffectivePolicy, executionKind: ExecutionKind): number {
  return executionKind === 'legacy_benchmark' ? 0 : embargoMs;
}

/** The margin decays towards its floor; the same relation is asked of the configuration. */
export function isMarginSound(
  policy: Pick<RacePolicy, 'marginFloorMicro' | 'marginInitialMicro'>,
): boolean {
  return policy.marginFloorMicro <= policy.marginInitialMicro;
}
