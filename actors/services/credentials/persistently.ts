import type { Clock } from '../../../infra/ports/clock.ts';
import { Fault } from '../../../machines/fault.ts';

const pauseMs = 250;

/**
 * Stores what a provider gave, for up to `ms`: it gives it once, and took something back for it.
 * `store` knows its own work when it is called again.
 */
export async function persistently<T>(
  clock: Clock,
  ms: number,
  store: () => Promise<T>,
): Promise<T> {
  const untilMs = clock.monotonicMs() + ms;
  for (let attempt = 1; ; attempt++) {
    try {
      return await store();
    } catch (error) {
      // A first one may have taken all of the time, and what the provider did is done.
      const isOver = attempt > 1 && clock.monotonicMs() >= untilMs;
      if (error instanceof Fault || isOver) throw error;
      await clock.sleep(pauseMs);
    }
  }
}
