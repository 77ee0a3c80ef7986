import type { Clock } from '../../infra/ports/clock.ts';
import { AnswerLimit, limited } from '../cli/client/answer-limit.ts';

/** Where something is asked, and by which clock an answer is late. */
export interface Asked {
  readonly address: string;
  readonly clock: Clock;
  readonly init?: RequestInit;
}

/** A service whose public pages are read. */
export interface Service {
  readonly url: string;
  readonly clock: Clock;
}

const limitMs = 30_000;

/** An answer once all of it is there; throws where it is late, however it drips. */
export async function wholeAnswer({ address, clock, init }: Asked) {
  const limit = new AnswerLimit(limitMs, clock);
  try {
    const answer = await fetch(address, { ...init, signal: limit.signal });
    const body = Buffer.from(await limited(answer, limit).arrayBuffer());
    return { answer, body };
  } catch (cause) {
    throw limit.signal.aborted ? new AnswerLate({ cause }) : cause;
  } finally {
    limit.end();
  }
}

export class AnswerLate extends Error {
  override name = 'AnswerLate';

  constructor(options: ErrorOptions) {
    super(`no whole answer within ${limitMs} ms`, options);
  }
}
