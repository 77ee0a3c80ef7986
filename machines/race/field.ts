import type { PinDisabledReason } from './pinnable.ts';

/**
 * What is known of a race's candidates at its close and of its entrants at its end, as the store
 * reads it under the race's lock. Scores of aggregates are texts with four decimal places, scores of
 * runs integers of 10^-6, instants Unix milliseconds.
 */
export const qualificationTypes = ['PINNED', 'QUALIFIED', 'SURVIVOR', 'INCUMBENT_TOP'] as const;
export type QualificationType = (typeof qualificationTypes)[number];

/** A version of the suite that could race, or that somebody pinned. */
export interface FieldCandidate {
  readonly agentVersionId: string;
  readonly minerHotkey: string;
  /** As the contract spells it; ELIGIBLE may race. */
  readonly state: string;
  readonly suiteId: number;
  readonly qualifyingScore: string | null;
  readonly submittedAt: number;
  readonly isEliminated: boolean;
  readonly isMinerBanned: boolean;
  /** Finished the suite's latest completed race without being eliminated. */
  readonly isSurvivor: boolean;
  readonly isTop: boolean;
  /** Its miner's pin names it. */
  readonly isPinned: boolean;
}

export interface Entrant {
  readonly agentVersionId: string;
  readonly minerHotkey: string;
  readonly qualificationType: QualificationType;
  readonly qualifyingScore: string | null;
}

/** A pin that could not be honoured. */
export interface Fallback {
  readonly agentVersionId: string;
  readonly minerHotkey: string;
  readonly reason: PinDisabledReason;
}

export interface RaceRun {
  readonly evalRunId: string;
  readonly validatorHotkey: string;
  readonly status: string;
  readonly isIncluded: boolean;
  readonly scoreMicro: number | null;
  /** Null also where it counts no more: its validator is banned, or a reinstatement forgave it. */
  readonly faultClass: string | null;
}

export interface EntrantWork {
  readonly agentVersionId: string;
  readonly minerHotkey: string;
  readonly isDiscarded: boolean;
  readonly isMinerBanned: boolean;
  /** Those that have a say at least: successes, and failures that the agent is to blame for. */
  readonly runs: readonly RaceRun[];
}

/** A completed race before this one, newest first. */
export interface WindowRace {
  readonly raceId: string;
  readonly raceNumber: number;
  readonly anchor: string;
  /** Raw scores of its finishers, by version. */
  readonly rawScores: Readonly<Record<string, string>>;
}

export interface ReigningTop {
  readonly agentVersionId: string;
  readonly minerHotkey: string;
  readonly score: string;
  readonly topAt: number;
}

/** Everything that the end of a race depends on. */
export interface RaceInputs {
  readonly raceId: string;
  readonly raceNumber: number;
  readonly entrants: readonly EntrantWork[];
  readonly window: readonly WindowRace[];
  /** Null when nobody reigns: a discarded or banned top, or one of another suite, does not. */
  readonly top: ReigningTop | null;
}
