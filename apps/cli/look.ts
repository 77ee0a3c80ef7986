import { Refusal, Unanswered } from './client/refusal.ts';
import type { Desk } from './desk.ts';

/** Twelve looks a minute at two or three routes each: a third of what an address may ask for. */
const everyMs = 5_000;

/**
 * Asks again and again until Ctrl-C. A service that is away is waited for: whoever watches wants to
 * see it come back.
 */
export async function* look<T>(
  ask: () => Promise<T>,
  { clock, stopping, out, err }: Pick<Desk, 'clock' | 'stopping' | 'out' | 'err'>,
): AsyncGenerator<T, void, undefined> {
  let isAway = false;
  const note = (text: string) => {
    // Both may be one terminal, where a line between would spoil what is drawn over.
    out.settle();
    err.line(`paddock: ${text}`);
  };
  while (!stopping.aborted) {
    try {
      const seen = await ask();
      if (isAway) note('the service answers again');
      isAway = false;
      yield seen;
    } catch (error) {
      if (!willPass(error)) throw error;
      if (!isAway) note('the service does not answer; waiting for it …');
      isAway = true;
    }
    await clock.sleep(everyMs, stopping);
  }
}

/** Whether it is worth asking again. */
export function willPass(error: unknown): boolean {
  if (error instanceof Refusal) return error.status === 429 || error.status >= 500;
  return error instanceof Unanswered;
}
