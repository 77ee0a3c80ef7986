import { performance } from 'node:perf_hooks';
import type { Clock } from '../ports/clock.ts';
import { timerMs } from './timer-ms.ts';

/** The clock of this host: the only code that reads one or sets a timer. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep,
  every,
};

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, timerMs(ms));
    signal?.addEventListener('abort', done);
  });
}

function every(ms: number, tick: () => Promise<void> | void): () => void {
  let stopped = false;
  // The next tick is set only after the last one settled, so a slow tick delays and never overlaps.
  const run = async () => {
    try {
      await tick();
    } catch (error) {
      // A tick owns its failures. One that leaks must neither end the process nor stay unseen.
      process.emitWarning(error instanceof Error ? error : String(error));
    }
    if (!stopped) timer = setTimeout(run, timerMs(ms));
  };
  let timer = setTimeout(run, timerMs(ms));
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
