import { randomHex } from '../ids/ids.ts';

/** Evenly spread over [0, 1). */
export function chance(): number {
  return Number.parseInt(randomHex(4), 16) / 2 ** 32;
}

/** The n-th wait (from 0), doubling from `firstMs` to `lastMs`, of which the upper half is chance. */
export function backoffMs(n: number, firstMs: number, lastMs: number): number {
  const fullMs = Math.min(firstMs * 2 ** n, lastMs);
  return fullMs * (0.5 + chance() / 2);
}
