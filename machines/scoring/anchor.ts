import { divideHalfEven, fourPlaces, rootHalfEven, tenThousandths } from './exact.ts';

/** Texts with four decimal places. */
export interface Anchor {
  /** `top50_mean`: what a race was worth, to compare it with others. */
  readonly mean: string;
  /** `top50_std`: the population deviation of the same half. */
  readonly std: string;
}

/** Over the better half of a race's raw scores (the middle one left out, at least one). */
export function anchorOf(rawScores: readonly string[]): Anchor | null {
  if (rawScores.length === 0) return null;
  const sorted = rawScores.map(tenThousandths).sort((left, right) => Number(right - left));
  const half = sorted.slice(0, Math.max(1, Math.floor(sorted.length / 2)));
  const n = BigInt(half.length);
  const sum = half.reduce((total, score) => total + score, 0n);
  const squares = half.reduce((total, score) => total + score * score, 0n);
  return {
    mean: fourPlaces(divideHalfEven(sum, n)),
    std: fourPlaces(rootHalfEven(n * squares - sum * sum, n * n)),
  };
}
