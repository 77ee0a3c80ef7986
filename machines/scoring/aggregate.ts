import { divideHalfEven, fourPlaces, integerSquareRoot } from './exact.ts';

/** Texts with four decimal places. */
export interface AggregateScore {
  readonly mean: string;
  /** The 95 % interval over the runs, within [0, 1]; null for a single run, which has no spread. */
  readonly low: string | null;
  readonly high: string | null;
}

const microPerTenThousandth = 100n;
/** Digits kept beyond 10^-6 while the interval is computed: far below the rounding at 10^-4. */
const guard = 1_000_000n;
/** The normal quantile of a two-sided 95 % interval, in hundredths. */
const quantileHundredths = 196n;

/** The mean of included runs, rounded half-even; the order of the runs does not matter. */
export function aggregateScore(scoresMicro: readonly number[]): AggregateScore | null {
  if (scoresMicro.length === 0) return null;
  const n = BigInt(scoresMicro.length);
  const sum = scoresMicro.reduce((total, score) => total + BigInt(score), 0n);
  const mean = fourPlaces(divideHalfEven(sum, n * microPerTenThousandth));
  if (n === 1n) return { mean, low: null, high: null };

  // n² (n − 1) × (standard error)² = n Σx² − (Σx)², an integer.
  const squares = scoresMicro.reduce((total, score) => total + BigInt(score) ** 2n, 0n);
  const spread = (n * squares - sum * sum) * (quantileHundredths * guard) ** 2n;
  const half = integerSquareRoot(spread / (n * n * (n - 1n))) / 100n;
  const centre = (sum * guard) / n;
  return { mean, low: rounded(centre - half), high: rounded(centre + half) };
}

function rounded(guarded: bigint): string {
  const places = divideHalfEven(guarded, guard * microPerTenThousandth);
  return fourPlaces(places < 0n ? 0n : places > 10_000n ? 10_000n : places);
}
