import type { Fault } from '../fault.ts';
import type { StaleReason } from '../reasons/codes.ts';
import { refusal } from '../refusal.ts';
import { attributeFault, faultOfResults } from '../scoring/fault-attribution.ts';
import { agreesWithResults, runScoreMicro } from '../scoring/run-score.ts';
import type { EvalPolicy, FaultClass } from '../types.ts';
import type { RunFact } from './facts.ts';
import { isLive, type RunState, runStatus } from './machine.ts';

/** When a run ends by itself; all of them move with outages of ours, so they live beside the run. */
export interface Deadlines {
  /** The latest promise to the validator. */
  readonly leaseUntilMs: number;
  readonly noProgressUntilMs: number;
  readonly runLimitUntilMs: number;
}

/** A time in which nobody served a run: all of it is after the run's claim if its end is. */
export interface Gap {
  readonly untilMs: number;
  readonly ms: number;
}

/** What is known of a run when its owner changes. */
export interface Inherited {
  readonly claimed: Deadlines;
  readonly claimedAtMs: number;
  readonly progressAtMs: number;
  /** As far as the former owner could write it down. */
  readonly written: Partial<Deadlines>;
  readonly gaps: readonly Gap[];
  /** The gap before this owner, which no former one can have counted. */
  readonly lastGapMs: number;
}

/**
 * What an owner takes over: what its run was claimed with, with the limits moved by the time in which nobody
 * served it, or what was written down of it, where that is later. The lease is not moved: its holder is
 * given a fresh window. No limit was ever before the end of a lease that was promised.
 */
export function takenOver(inherited: Inherited): Deadlines {
  const { claimed, claimedAtMs, progressAtMs, written, gaps, lastGapMs } = inherited;
  const { leaseUntilMs = 0, noProgressUntilMs = 0, runLimitUntilMs = 0 } = written;
  const unservedSince = (sinceMs: number) =>
    gaps.reduce((sumMs, { untilMs, ms }) => sumMs + (untilMs > sinceMs ? ms : 0), 0);
  const counted = (writtenMs: number) => Math.max(writtenMs, leaseUntilMs) + lastGapMs;
  return {
    leaseUntilMs: Math.max(claimed.leaseUntilMs, leaseUntilMs),
    noProgressUntilMs: Math.max(
      claimed.noProgressUntilMs + unservedSince(progressAtMs),
      counted(noProgressUntilMs),
    ),
    runLimitUntilMs: Math.max(
      claimed.runLimitUntilMs + unservedSince(claimedAtMs),
      counted(runLimitUntilMs),
    ),
  };
}

/** A lease is never promised beyond the moment at which the run ends for another reason. */
export function promisedUntil(deadlines: Deadlines, candidateMs: number): number {
  const cap = Math.min(deadlines.noProgressUntilMs, deadlines.runLimitUntilMs);
  return Math.max(deadlines.leaseUntilMs, Math.min(candidateMs, cap));
}

/** The first reason for which the run is over at `nowMs`, the most final one first. */
export function reasonOfEnd(
  deadlines: Deadlines,
  nowMs: number,
): Exclude<StaleReason, 'RECLAIMED'> | undefined {
  if (nowMs >= deadlines.runLimitUntilMs) return 'RUN_LIMIT';
  if (nowMs >= deadlines.noProgressUntilMs) return 'NO_PROGRESS';
  if (nowMs >= deadlines.leaseUntilMs) return 'LEASE_EXPIRED';
  return undefined;
}

/** What a run is that should have ended already, although nobody has marked it yet. */
export type UnmarkedEnd = 'STALE' | 'CANCELLED';

/** Refuses what only a live run's owner may do; a run past its end is over, marked or not. */
export function refusalOfOwner(
  run: RunState,
  caller: { readonly validatorHotkey: string; readonly endedAs: UnmarkedEnd | undefined },
): Fault | undefined {
  if (run.context.validatorHotkey !== caller.validatorHotkey) return notOwner();
  if (isLive(run)) return caller.endedAs === undefined ? undefined : leaseExpired(caller.endedAs);
  if (run.value === 'stale' || run.value === 'cancelled') return leaseExpired(runStatus(run));
  return alreadyComplete();
}

export function runNotFound(): Fault {
  return refusal('EVAL_RUN_NOT_FOUND');
}

/** The first heartbeat, progress or result makes a claimed run a running one. */
export function factsOfSign(run: RunState, nowMs: number, leaseUntil: number): RunFact[] {
  return run.value === 'claimed' ? [{ type: 'STARTED', at: nowMs, leaseUntil }] : [];
}

export interface CompletionClaim {
  readonly validatorHotkey: string;
  readonly terminalStatus: 'SUCCESS' | 'FAILED' | 'TIMED_OUT';
  readonly scoreMicro: number | null;
  readonly scoreComponents: Readonly<Record<string, unknown>> | null;
  readonly failureReason: string | null;
  readonly failureClass: FaultClass | null;
  readonly hadToken: boolean;
  readonly digest: string;
}

export type Outcome =
  | { readonly kind: 'replay'; readonly reply: unknown }
  | { readonly kind: 'success'; readonly scoreMicro: number; readonly isPartial: boolean }
  | {
      readonly kind: 'failure';
      readonly status: 'FAILED' | 'TIMED_OUT';
      readonly faultClass: FaultClass;
    };

export interface CompletionEnv {
  readonly endedAs: UnmarkedEnd | undefined;
  readonly policy: EvalPolicy;
  /** Roster tasks without a stored result, in roster order. */
  readonly missingTaskIds: readonly string[];
}

/** How a run ends, before anybody asks what that means for its work item. */
export function decideCompletion(
  run: RunState,
  claim: CompletionClaim,
  env: CompletionEnv,
): Outcome | Fault {
  const settled = settledBefore(run, claim, env.endedAs);
  if (settled !== undefined) return settled;
  return claim.terminalStatus === 'SUCCESS'
    ? decideSuccess(run, claim, env)
    : failure(run, claim, env);
}

function settledBefore(
  run: RunState,
  claim: CompletionClaim,
  endedAs: UnmarkedEnd | undefined,
): Outcome | Fault | undefined {
  if (run.context.validatorHotkey !== claim.validatorHotkey) return notOwner();
  const { completion } = run.context;
  if (completion !== null) {
    if (completion.digest !== claim.digest) return alreadyComplete();
    return { kind: 'replay', reply: completion.reply };
  }
  if (!isLive(run)) return noLongerOwner(runStatus(run));
  return endedAs === undefined ? undefined : noLongerOwner(endedAs);
}

const missingShownMax = 20;

function decideSuccess(run: RunState, claim: CompletionClaim, env: CompletionEnv): Outcome | Fault {
  if (claim.scoreMicro === null) {
    return refusal('MISSING_SCORE');
  }
  const { executionKind, tally, expectedItems } = run.context;
  if (executionKind === 'legacy_benchmark') {
    return { kind: 'success', scoreMicro: claim.scoreMicro, isPartial: isPartial(claim) };
  }
  if (tally.items < expectedItems) {
    const missing = expectedItems - tally.items;
    return refusal('RESULTS_INCOMPLETE', {
      says: `${missing} of the ${expectedItems} tasks have no stored result; missing_task_ids names some.`,
      extras: {
        missing_count: missing,
        missing_task_ids: env.missingTaskIds.slice(0, missingShownMax),
      },
    });
  }
  const fault = faultOfResults(evidence(run, env.policy));
  if (fault !== null) return { kind: 'failure', status: 'FAILED', faultClass: fault };
  const scoreMicro = runScoreMicro(tally.rewardMicro, expectedItems);
  if (!agreesWithResults(claim.scoreMicro, tally.rewardMicro, expectedItems)) {
    const expected = scoreMicro / 1_000_000;
    return refusal('SCORE_MISMATCH', {
      says: `validator_score is ${claim.scoreMicro / 1_000_000}, and the mean of the stored results ${expected}.`,
      extras: { expected_score: expected },
    });
  }
  return { kind: 'success', scoreMicro, isPartial: false };
}

function failure(run: RunState, claim: CompletionClaim, env: CompletionEnv): Outcome {
  const faultClass = attributeFault({
    ...evidence(run, env.policy),
    given: claim.failureClass,
    reason: claim.failureReason,
    hadToken: claim.hadToken,
    table: env.policy.faultTable,
  });
  return {
    kind: 'failure',
    status: claim.terminalStatus === 'TIMED_OUT' ? 'TIMED_OUT' : 'FAILED',
    faultClass,
  };
}

function evidence(run: RunState, policy: EvalPolicy) {
  const { tally, expectedItems: rosterSize } = run.context;
  return { tally, rosterSize, platformFaultShareMicro: policy.platformFaultShareMicro };
}

/** A legacy validator that scored fewer problems than there are has no comparable score. */
function isPartial({ scoreComponents }: CompletionClaim): boolean {
  const scored = scoreComponents?.['scored_problems'];
  const total = scoreComponents?.['total_problems'];
  return typeof scored === 'number' && typeof total === 'number' && scored < total;
}

function notOwner(): Fault {
  return refusal('NOT_RUN_OWNER', {
    says: 'This run is of another validator.',
    next: 'Speak of runs that you have claimed, with the hotkey that claimed them.',
  });
}

function noLongerOwner(status: string): Fault {
  return refusal('NOT_RUN_OWNER', {
    says: `This run is no longer yours: it is ${status}.`,
    extras: { run_status: status },
  });
}

function leaseExpired(status: string): Fault {
  return refusal('LEASE_EXPIRED', {
    says: `The lease of this run is over: it is ${status}.`,
    extras: { run_status: status },
  });
}

function alreadyComplete(): Fault {
  return refusal('RUN_ALREADY_COMPLETE');
}
