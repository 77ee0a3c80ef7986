/**
 * Every code by which an answer says why: of holds, exclusions, discards, ends and cancellations. What
 * one place decides has its codes there (pins, fields, similarity, unfinished entrants); these are said
 * by several. A code without words in run-texts.ts or race-texts.ts does not compile.
 */

declare const told: unique symbol;

/** A reason that came by message: an operator's own words, or a code that its sender has chosen. */
export type ToldReason = string & { readonly [told]: true };

export function asTold(reason: string): ToldReason {
  return reason as ToldReason;
}

/** Why open work is not offered. A ban holds without end, and no fact of the work names it. */
export type HoldReason = 'MINER_BANNED' | 'REPEATED_FAILURES';

/** Why a success does not count. */
export type ExclusionReason =
  | 'BEYOND_REQUIRED'
  | 'INCOMPLETE'
  | 'REJUDGED'
  | 'REJUDGING'
  | 'SAME_VALIDATOR'
  | 'VALIDATOR_BANNED';

/** Why work that was over is offered again. */
export type ReopeningReason = ExclusionReason | 'VERSION_REINSTATED';

export type DiscardReason = 'AGENT_FAILURES' | 'INTEGRITY';

/** Why a version that was on its way to the races goes no further, without a discard. */
export type VersionCancelReason = 'SUITE_SUPERSEDED';

/** Why a run is over without a word of its validator, and its work is offered again. */
export type StaleReason = 'LEASE_EXPIRED' | 'NO_PROGRESS' | 'RECLAIMED' | 'RUN_LIMIT';

/** Why nothing of a version is evaluated any more. */
export type Lapse = 'SUITE_SUPERSEDED' | 'VERSION_DISCARDED';

/** Why work ends under the hands of whoever is at it. */
export type WorkCancelReason = Lapse | 'REJUDGING_CANCELLED';

/** Why nobody waits for a run any more. */
export type RunCancelReason =
  | WorkCancelReason
  | 'MINER_BANNED'
  | 'RACE_CANCELLED'
  | 'RACE_COMPLETE'
  | 'RELEASED'
  | 'RUN_INCLUDED'
  | 'VALIDATOR_BANNED'
  | 'WORK_CLOSED';

/** Why judging again came to nothing, or its verdict is not used. */
export type JudgingEndReason =
  | Lapse
  | 'AGENT_FAILURES'
  | 'INTEGRITY'
  | 'NO_VERDICT'
  | 'RACE_OVER'
  | 'REJUDGING_CANCELLED'
  | 'RUN_EXCLUDED'
  | 'SAME_VALIDATOR'
  | 'VALIDATOR_BANNED';

export type RaceCancelReason = 'NO_ENTRANT' | 'NO_FINISHER' | 'NO_TASK' | 'SUITE_SWITCHED';

export type ReignEndReason = 'BANNED' | 'DISCARDED' | 'OUTRANKED' | 'SUITE_SWITCHED';

/** Why a version's code is public. */
export type CodeReleaseReason = 'AGED' | 'TOP';
