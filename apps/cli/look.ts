import { Refusal, Unanswered } from './client/refusal.ts';
import type { Desk } from './desk.ts';
import { durationText } from './show/moments.ts';

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
  let trouble: Trouble | undefined;
  const note = (text: string) => {
    // Both may be one terminal, where a line between would spoil what is drawn over.
    out.settle();
    err.line(`paddock: ${text}`);
  };
  while (!stopping.aborted) {
    let pauseMs = everyMs;
    try {
      const seen = await ask();
      if (trouble !== undefined) note('the service answers again');
      trouble = undefined;
      yield seen;
    } catch (error) {
      if (!willPass(error)) throw error;
      const now = troubleOf(error);
      pauseMs = Math.max(everyMs, now.pauseMs);
      if (now.what !== trouble?.what) note(`${now.what}; ${waitText(now)}`);
      trouble = now;
    }
    await clock.sleep(pauseMs, stopping);
  }
}

/** Why nothing is seen, and how long the service asks not to be asked; zero where it does not say. */
interface Trouble {
  readonly what: string;
  readonly pauseMs: number;
}

function troubleOf(error: unknown): Trouble {
  if (!(error instanceof Refusal)) return { what: 'the service does not answer', pauseMs: 0 };
  const { status, retryAfterSeconds = 0 } = error;
  const what =
    status === 429 ? 'too many requests came from here' : `the service answered ${status}`;
  return { what, pauseMs: retryAfterSeconds * 1000 };
}

function waitText({ pauseMs }: Trouble): string {
  return pauseMs === 0 ? 'waiting for it …' : `asking again in ${durationText(pauseMs)} …`;
}

/** Whether it is worth asking again. */
export function willPass(error: unknown): boolean {
  if (error instanceof Refusal) return error.status === 429 || error.status >= 500;
  return error instanceof Unanswered;
}
