import { randomHex } from '../../../infra/ids/ids.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { HttpAnswer } from './http-exchange.ts';
import { Refused } from './refusal.ts';

/** The other side did not answer usefully for as long as anybody would wait. */
export class Unanswered extends Error {
  override name = 'Unanswered';
}

// Longer than a coordinator's takeover and an edge's restart together; a claim lives for minutes.
export const patienceMs = 60_000;
const firstPauseMs = 100;
const pauseMaxMs = 2_000;

/**
 * Asks again after network errors and 5xx, as `Retry-After` says or with growing pauses. A 4xx is an
 * answer: the same request would get it again.
 */
export async function untilAnswered(
  clock: Clock,
  ask: () => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const deadlineMs = clock.monotonicMs() + patienceMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, pauseMaxMs)) {
    const outcome = await ask().catch((error: unknown) => toError(error));
    if (!(outcome instanceof Error) && outcome.status < 500) return outcome;
    if (clock.monotonicMs() > deadlineMs) throw new Unanswered(reasonOf(outcome));
    await clock.sleep(retryAfterMs(outcome) ?? spread(pauseMs));
  }
}

/** A session that is refused is an answer too. */
function toError(error: unknown): Error {
  if (error instanceof Refused) throw error;
  return error instanceof Error ? error : new Error(String(error));
}

function retryAfterMs(outcome: HttpAnswer | Error): number | undefined {
  if (outcome instanceof Error) return undefined;
  const seconds = Number(outcome.headers['retry-after']);
  return seconds > 0 ? Math.min(seconds * 1000, pauseMaxMs) : undefined;
}

/** Between half of it and all of it, so that many clients do not come back in step. */
function spread(pauseMs: number): number {
  return (pauseMs / 2) * (1 + Number.parseInt(randomHex(1), 16) / 255);
}

function reasonOf(outcome: HttpAnswer | Error): string {
  if (outcome instanceof Error) return outcome.message;
  return `status ${outcome.status}: ${outcome.body.toString().slice(0, 300)}`;
}
