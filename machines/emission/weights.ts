import { divideHalfEven } from '../scoring/exact.ts';

/** The largest weight of the chain; burn or top has it and the rest is measured by it. */
const largest = 65_535n;
const unit = 1_000_000n;

export interface Seats {
  /** The share that is burned, in 10^-6. */
  readonly burnRateMicro: number;
  readonly hasTop: boolean;
  /** How many survivors are paid beside the top. */
  readonly tailCount: number;
}

export interface EmissionWeights {
  readonly burn: bigint;
  /** Null without an eligible top, whose share is burned. */
  readonly top: bigint | null;
  /** In the order of the tail: its length down to 1. */
  readonly tail: readonly bigint[];
}

/** The integers that the parts of a race's emissions are proportional to (rules.md section 4). */
export function emissionWeights({ burnRateMicro, hasTop, tailCount }: Seats): EmissionWeights {
  const tail = Array.from({ length: tailCount }, (_, index) => BigInt(tailCount - index));
  if (!hasTop) return { burn: largest, top: null, tail };
  const tailSum = tail.reduce((total, weight) => total + weight, 0n);
  return { ...headWeights(burnRateMicro, tailSum), tail };
}

/** Of burn and top, beside a tail that weighs `tail` in all: it is taken out of the burn's share. */
export function headWeights(burnRateMicro: number, tail: bigint): { burn: bigint; top: bigint } {
  const burnShare = BigInt(burnRateMicro);
  const topShare = unit - burnShare;
  if (burnShare >= topShare) {
    return { burn: largest, top: divideHalfEven(topShare * (largest + tail), burnShare) };
  }
  const burn = divideHalfEven(burnShare * largest, topShare) - tail;
  return { burn: burn > 0n ? burn : 0n, top: largest };
}
