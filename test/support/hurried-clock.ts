import { systemClock } from '../../infra/clock/system-clock.ts';

/** An edge's, which a test moves on, and whose pauses are short. */
export function hurriedClock() {
  const moved = { ms: 0 };
  const clock = {
    ...systemClock,
    monotonicMs: () => systemClock.monotonicMs() + moved.ms,
    every: (ms: number, tick: () => Promise<void> | void) =>
      systemClock.every(Math.min(ms, 100), tick),
  };
  return { clock, moved };
}
