import type { KeptProcess } from '../../apps/world/process-group.ts';

/** What is known of a random choice is its seed, so that a run can be had again. */
export function seededChoice(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    // Mulberry32: small, and the same everywhere.
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** False when it is not there, because it was killed before and is only being started again. */
export function signalProcess({ pid }: Pick<KeptProcess, 'pid'>, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
