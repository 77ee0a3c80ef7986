import { tenThousandths } from './exact.ts';

export interface Finisher {
  readonly agentVersionId: string;
  /** Four decimal places as text. */
  readonly rawScore: string;
}

/** Best first: raw score descending, then version id ascending. A total order over one race. */
export function byRawScore(left: Finisher, right: Finisher): number {
  const difference = tenThousandths(right.rawScore) - tenThousandths(left.rawScore);
  if (difference !== 0n) return difference > 0n ? 1 : -1;
  return left.agentVersionId < right.agentVersionId ? -1 : 1;
}

/**
 * The versions that go after a race: its worst finishers by raw score, in the share of all finishers,
 * `spared` ones (the winner and the top) replaced by the next worst.
 */
export function eliminatedOf(
  finishers: readonly Finisher[],
  shareMicro: number,
  spared: ReadonlySet<string>,
): ReadonlySet<string> {
  const count = Number((BigInt(finishers.length) * BigInt(shareMicro)) / 1_000_000n);
  const worstFirst = finishers
    .filter(({ agentVersionId }) => !spared.has(agentVersionId))
    .sort((left, right) => byRawScore(right, left));
  return new Set(worstFirst.slice(0, count).map(({ agentVersionId }) => agentVersionId));
}
