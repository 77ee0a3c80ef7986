import type { RunState } from '../evaluation-run/machine.ts';
import type { Phase } from '../types.ts';
import type { WorkContext } from './facts.ts';

/**
 * A run in vain that the law holds no work for leaves it open at once to everyone else. The validator that
 * had it is offered it again after a pause, or one run would follow the other all day while a provider is away.
 */
export const pauseTerms = {
  /** As many runs in vain of one validator at one item call for no pause: faults pass. */
  runsBefore: 2,
  firstMs: 60_000,
  /**
   * A race has an end, and perhaps one validator: what passes must not cost an entrant its place. Qualifying
   * has no end, nor has what judges a race's run again: where a miner's account is exhausted for good, a pair
   * makes a run a day, and the open version that its owner holds in memory some 24,000 a year by 64 validators.
   */
  maxMs: { QUALIFYING: 86_400_000, RACE: 60_000 } satisfies Record<Phase, number>,
} as const;

const longestMs = Math.max(...Object.values(pauseTerms.maxMs));

/** After so many the pause is as long as it gets: nobody needs to count further. */
export const runsAtLongestPause =
  pauseTerms.runsBefore + 1 + Math.ceil(Math.log2(longestMs / pauseTerms.firstMs));

/** How long after the last of so many runs that call for a pause a validator is offered the same work again. */
export function pauseMs(
  pausingRuns: number,
  { phase, rejudges }: Pick<WorkContext, 'phase' | 'rejudges'>,
): number {
  const beyond = pausingRuns - pauseTerms.runsBefore - 1;
  if (beyond < 0) return 0;
  const maxMs = pauseTerms.maxMs[rejudges === null ? phase : 'QUALIFYING'];
  return Math.min(pauseTerms.firstMs * 2 ** Math.min(beyond, 30), maxMs);
}

/**
 * A run in vain that counts towards no hold. Work that was given back is offered again at once, as the
 * contract has it, and an operator's reclaim is no fault.
 */
export function callsForPause({ value, context }: RunState): boolean {
  if (value === 'failed' || value === 'timedOut') return context.faultClass !== 'PLATFORM';
  return value === 'success' && context.exclusionReason === 'INCOMPLETE';
}
