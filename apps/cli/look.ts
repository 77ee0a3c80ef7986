import type { Desk } from './desk.ts';
import { Troubles } from './troubles.ts';

/** Twelve looks a minute at two or three routes each: a third of what an address may ask for. */
const everyMs = 5_000;

/**
 * Asks again and again until Ctrl-C. A service that is away is waited for: whoever watches wants to
 * see it come back.
 */
export async function* look<T>(
  ask: () => Promise<T>,
  desk: Pick<Desk, 'baseUrl' | 'clock' | 'stopping' | 'out' | 'err'>,
): AsyncGenerator<T, void, undefined> {
  const { clock, stopping } = desk;
  const troubles = new Troubles(desk);
  while (!stopping.aborted) {
    let pauseMs = everyMs;
    try {
      const seen = await ask();
      troubles.over();
      yield seen;
    } catch (error) {
      pauseMs = Math.max(everyMs, troubles.met(error));
    }
    await clock.sleep(pauseMs, stopping);
  }
}
