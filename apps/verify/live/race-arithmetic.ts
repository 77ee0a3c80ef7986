/**
 * The formulas of rules.md once more, for the checks: by other means than the service's own code, so
 * that a mistake there is seen here. Scores are integers of 10^-4 (`tt`), exact.
 */
export const tt = (score: string): bigint => BigInt(score.replace('.', ''));

/** A fraction rounded half to even; `over` is positive. */
export function rounded(fraction: bigint, over: bigint): bigint {
  const floor = (fraction - (((fraction % over) + over) % over)) / over;
  const twice = 2n * (fraction - floor * over);
  if (twice !== over) return twice > over ? floor + 1n : floor;
  return floor % 2n === 0n ? floor : floor + 1n;
}

/** Of a run over all of its tasks, in 10^-6; what is missing was worth nothing. */
export function meanOfRewards(sumMicro: number, tasks: number): number {
  return tasks === 0 ? 0 : Number(rounded(BigInt(sumMicro), BigInt(tasks)));
}

export function meanOfRuns(scoresMicro: readonly number[]): bigint {
  const sum = scoresMicro.reduce((total, score) => total + BigInt(score), 0n);
  return rounded(sum, BigInt(scoresMicro.length) * 100n);
}

/** The better half, at least one. */
export function betterHalf(scores: readonly bigint[]): { mean: bigint; deviation: number } {
  const sorted = [...scores].sort((a, b) => (a === b ? 0 : a < b ? 1 : -1));
  const half = sorted.slice(0, Math.max(1, Math.floor(sorted.length / 2)));
  const mean = rounded(
    half.reduce((a, b) => a + b, 0n),
    BigInt(half.length),
  );
  const average = half.reduce((a, b) => a + Number(b), 0) / half.length;
  const variance = half.reduce((a, b) => a + (Number(b) - average) ** 2, 0) / half.length;
  return { mean, deviation: Math.sqrt(variance) / 10_000 };
}

export interface Slot {
  readonly anchor: bigint;
  /** Undefined where the version did not race. */
  readonly raw: bigint | undefined;
}

/** `slots[0]` is this race; a race that is not there yet is a seed as well. */
export function overall(slots: readonly Slot[], divisor: number): bigint {
  const [own] = slots;
  if (own === undefined) throw new Error('no race');
  const deltas = slots.reduce(
    (sum, { raw, anchor }) => sum + (raw === undefined ? 0n : raw - anchor),
    0n,
  );
  return rounded(own.anchor * BigInt(divisor) + deltas, BigInt(divisor));
}

const unit = 65_535n;

/** Integer weights of burn, top and tail (rules.md 4), for a burn rate of 10^-6. */
export function weights(burnMicro: bigint, tailCount: number, hasTop: boolean) {
  const tail = Array.from({ length: tailCount }, (_, index) => BigInt(tailCount - index));
  const tailSum = tail.reduce((a, b) => a + b, 0n);
  const topMicro = 1_000_000n - burnMicro;
  if (!hasTop) return { burn: unit, top: undefined, tail };
  if (burnMicro >= topMicro) {
    return { burn: unit, top: rounded(topMicro * (unit + tailSum), burnMicro), tail };
  }
  const burn = rounded(burnMicro * unit, topMicro) - tailSum;
  return { burn: burn > 0n ? burn : 0n, top: unit, tail };
}

/** The margin that a top of this age is defended by, as a plain number. */
export function marginAt(
  policy: {
    readonly marginInitialMicro: number;
    readonly marginFloorMicro: number;
    readonly marginHalfLifeMs: number;
  },
  ageMs: number,
): number {
  const { marginInitialMicro, marginFloorMicro, marginHalfLifeMs } = policy;
  const share = 2 ** (-ageMs / marginHalfLifeMs);
  return (marginFloorMicro + (marginInitialMicro - marginFloorMicro) * share) / 1_000_000;
}
