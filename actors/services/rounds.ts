import type { Clock } from '../../infra/ports/clock.ts';
import type { Service } from '../../infra/ports/lifecycle.ts';

/** Goes round every so often; its stop tells the round under way, which never rejects, and waits for it. */
export function createRounds(
  clock: Clock,
  everyMs: number,
  round: (stopping: AbortSignal) => Promise<void>,
): Service {
  const stopping = new AbortController();
  let stopTicking: (() => void) | undefined;
  let running: Promise<void> = Promise.resolve();
  return {
    start: async () => {
      stopTicking = clock.every(everyMs, () => {
        running = round(stopping.signal);
        return running;
      });
    },
    stop: async () => {
      stopping.abort();
      stopTicking?.();
      await running;
    },
  };
}
