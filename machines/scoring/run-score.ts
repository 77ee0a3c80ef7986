import { divideHalfEven } from './exact.ts';

/** The mean reward over the roster in 10^-6: tasks without a paid reward count as 0. */
export function runScoreMicro(rewardSumMicro: number, rosterSize: number): number {
  if (rosterSize === 0) return 0;
  return Number(divideHalfEven(BigInt(rewardSumMicro), BigInt(rosterSize)));
}

/** True when a given score is within 10^-6 of the exact mean, which need not be a whole 10^-6. */
export function agreesWithResults(
  givenMicro: number,
  rewardSumMicro: number,
  rosterSize: number,
): boolean {
  return Math.abs(givenMicro * rosterSize - rewardSumMicro) <= rosterSize;
}
