import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../../../machines/fault.ts';

/** A machine that needs longer than this for one order has no figure to tell. */
const patienceMs = 30_000;
const pauseMs = 50;

/** Asks again, as a client does, while the owner says that too much is asked; `shed` hears of each time. */
export async function patiently<T>(ask: () => Promise<T>, shed: () => void): Promise<T> {
  const endMs = performance.now() + patienceMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isShed = error instanceof Fault && error.code === 'OVERLOADED';
      if (!isShed || performance.now() >= endMs) throw error;
      shed();
      await sleep(pauseMs * (1 + Math.random()));
    }
  }
}
