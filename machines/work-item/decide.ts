import type { Outcome } from '../evaluation-run/decide.ts';
import type { ExclusionReason, ToldReason } from '../reasons/codes.ts';
import type { EvalPolicy } from '../types.ts';
import type { WorkFact } from './facts.ts';
import type { WorkState } from './machine.ts';

export interface Claimer {
  readonly validatorHotkey: string;
  readonly validatorColdkey: string | null;
  /** All hotkeys that this coldkey owns now: either may have been another when the work was submitted. */
  readonly ownedHotkeys?: readonly string[] | undefined;
}

/** Whether this validator may be given a run of this work now. */
export function isClaimable(item: WorkState, claimer: Claimer, nowMs: number): boolean {
  const work = item.context;
  return (
    item.value === 'open' &&
    !work.isMinerBanned &&
    (work.holdUntil === null || work.holdUntil <= nowMs) &&
    work.live.length + work.included.length < work.requiredSuccesses &&
    !isOwn(work, claimer) &&
    work.rejudges?.validatorHotkey !== claimer.validatorHotkey &&
    ![...work.live, ...work.included].some(
      ({ validatorHotkey }) => validatorHotkey === claimer.validatorHotkey,
    )
  );
}

function isOwn(work: WorkState['context'], claimer: Claimer): boolean {
  return (
    work.minerHotkey === claimer.validatorHotkey ||
    (work.minerColdkey !== null && work.minerColdkey === claimer.validatorColdkey) ||
    claimer.ownedHotkeys?.includes(work.minerHotkey) === true
  );
}

export interface EndedLease {
  readonly evalRunId: string;
  readonly isTrouble: boolean;
  /** Who had the run, where it came to nothing. */
  readonly hadInVain: string | null;
  readonly nowMs: number;
}

/** Counts towards a hold, as silence does (rules.md section 5): the next may well fare the same. */
export function isTrouble(outcome: Exclude<Outcome, { readonly kind: 'replay' }>): boolean {
  return outcome.kind === 'failure' && outcome.faultClass === 'PLATFORM';
}

/** A run ended without an included success: its slot is free, at once or after a hold. */
export function decideLeaseEnd(item: WorkState, ended: EndedLease, policy: EvalPolicy): WorkFact[] {
  const { evalRunId, isTrouble, hadInVain, nowMs } = ended;
  const facts: WorkFact[] = [{ type: 'LEASE_ENDED', evalRunId, isTrouble, releasedBy: hadInVain }];
  const beyond = item.context.troubles + 1 - policy.holdFailures;
  if (isTrouble && item.value === 'open' && beyond >= 0) {
    const holdMs = Math.min(policy.holdMs * 2 ** Math.min(beyond, 30), policy.holdMaxMs);
    facts.push({ type: 'HELD', until: nowMs + holdMs, reason: 'REPEATED_FAILURES' });
  }
  return facts;
}

export interface SuccessfulRun {
  readonly evalRunId: string;
  readonly validatorHotkey: string;
  readonly scoreMicro: number;
  /** A legacy run that scored fewer problems than there are. */
  readonly isPartial: boolean;
}

/** Why a success is stored but does not count; undefined when it does. */
export function exclusionOfSuccess(
  item: WorkState,
  run: SuccessfulRun,
): ExclusionReason | undefined {
  const work = item.context;
  if (run.isPartial) return 'INCOMPLETE';
  if (item.value !== 'open' || work.included.length >= work.requiredSuccesses) {
    return 'BEYOND_REQUIRED';
  }
  return work.included.some(({ validatorHotkey }) => validatorHotkey === run.validatorHotkey)
    ? 'SAME_VALIDATOR'
    : undefined;
}

export function decideInclusion(item: WorkState, run: SuccessfulRun, nowMs: number): WorkFact[] {
  const { evalRunId, validatorHotkey, scoreMicro } = run;
  const facts: WorkFact[] = [{ type: 'SUCCESS_INCLUDED', evalRunId, validatorHotkey, scoreMicro }];
  const isLast = item.context.included.length + 1 === item.context.requiredSuccesses;
  return isLast ? [...facts, { type: 'CLOSED', at: nowMs }] : facts;
}

export function decideExclusion(
  item: WorkState,
  evalRunId: string,
  reason: ExclusionReason | ToldReason,
): WorkFact[] {
  const facts: WorkFact[] = [{ type: 'SUCCESS_EXCLUDED', evalRunId, reason }];
  return item.value === 'closed' ? [...facts, { type: 'REOPENED', reason }] : facts;
}
