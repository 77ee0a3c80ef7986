/** Why a version could not race, in the words of the contract; null where it could. */
export type PinDisabledReason =
  | 'discarded'
  | 'superseded_suite'
  | 'eliminated'
  | 'not_eligible'
  | 'below_threshold';

export interface Candidate {
  readonly state: string;
  readonly isSuiteActive: boolean;
  readonly isEliminated: boolean;
  /** Four decimal places as text, e.g. "0.4834"; texts of equal length compare as numbers do. */
  readonly qualifyingScore: string | null;
  readonly qualifyingThreshold: string;
}

/**
 * The first reason that applies, hardest first: what can never change again is named before what a
 * miner may only wait for.
 */
export function pinDisabledReason(version: Candidate): PinDisabledReason | null {
  if (version.state === 'DISCARDED') return 'discarded';
  if (!version.isSuiteActive) return 'superseded_suite';
  if (version.isEliminated) return 'eliminated';
  if (version.state !== 'ELIGIBLE' || version.qualifyingScore === null) return 'not_eligible';
  return version.qualifyingScore < version.qualifyingThreshold ? 'below_threshold' : null;
}
