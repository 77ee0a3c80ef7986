import type { Clock } from '../../infra/ports/clock.ts';

/** Waits for `work`, but no longer than `ms`. */
export async function within(clock: Clock, ms: number, work: Promise<void>): Promise<void> {
  const patience = new AbortController();
  await Promise.race([work, clock.sleep(ms, patience.signal)]);
  patience.abort();
}
