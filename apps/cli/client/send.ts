import type { Clock } from '../../../infra/ports/clock.ts';
import { AnswerLimit, limited } from './answer-limit.ts';
import {
  addressOf,
  type Call,
  type CallOptions,
  encodeBody,
  type Given,
  headersOf,
  type Send,
} from './call.ts';
import type { Credentials } from './credentials.ts';
import { observed } from './observed-body.ts';
import { Refusal, Unanswered } from './refusal.ts';
import { serverEvents } from './server-events.ts';

export interface ClientOptions {
  readonly baseUrl: string;
  readonly clock: Clock;
  /** By what the routes ask for; a route whose proof is missing here is called without one. */
  readonly credentials?: Partial<Readonly<Record<Call['proof'], Credentials>>>;
  /** Of one attempt, until its whole answer is there, or a stream of events begins; a large one has more. */
  readonly timeoutMs?: number;
  /** How long 503 and lost answers are asked again, where a repeat is safe; never unless given. */
  readonly patienceMs?: number;
}

const defaultTimeoutMs = 30_000;
const firstPauseMs = 100;
const pauseMaxMs = 5_000;

/** Sends calls; a success resolves with what was answered, anything else throws Refusal or Unanswered. */
export function sender(options: ClientOptions): Send {
  const { clock, patienceMs = 0 } = options;
  return async (call, given, callOptions = {}) => {
    const deadlineMs = clock.monotonicMs() + patienceMs;
    const isSafe = call.method === 'GET' || given.idempotencyKey !== undefined;
    let wasLost = false;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, pauseMaxMs)) {
      try {
        return await attempt(call, given, { ...options, ...callOptions });
      } catch (error) {
        if (wasLost && error instanceof Refusal) error.isAfterLost = true;
        wasLost ||= !(error instanceof Refusal) || error.leavesOpen;
        const waitMs = Math.max(pauseMs, retryAfterMs(error) ?? 0);
        if (!isSafe || !isTemporary(error) || clock.monotonicMs() + waitMs > deadlineMs)
          throw error;
        await clock.sleep(waitMs, callOptions.signal);
      }
    }
  };
}

function isTemporary(error: unknown): boolean {
  return error instanceof Unanswered || (error instanceof Refusal && error.status === 503);
}

function retryAfterMs(error: unknown): number | undefined {
  if (!(error instanceof Refusal) || error.retryAfterSeconds === undefined) return undefined;
  return Math.min(error.retryAfterSeconds * 1000, pauseMaxMs);
}

async function attempt(
  call: Call,
  given: Given,
  by: ClientOptions & CallOptions,
): Promise<unknown> {
  const url = addressOf(by.baseUrl, call, given);
  const encoded = encodeBody(call, given);
  const { headers, body } =
    by.onUpload === undefined ? encoded : await observed(encoded, by.onUpload);
  const proof = await by.credentials?.[call.proof]?.();
  return await answerOf(call, url, by, {
    method: call.method,
    headers: { ...headers, ...headersOf(call, given), ...proof },
    ...(body !== undefined && { body, duplex: 'half' }),
  });
}

/** What was answered, once all of it is there. */
async function answerOf(
  { method, path }: Call,
  url: string,
  by: ClientOptions & CallOptions,
  init: RequestInit,
): Promise<unknown> {
  const { clock, timeoutMs = defaultTimeoutMs, signal } = by;
  const limit = new AnswerLimit(timeoutMs, clock);
  let had = 'no answer';
  try {
    const signals = signal === undefined ? [limit.signal] : [limit.signal, signal];
    const answer = await fetch(url, { ...init, signal: AbortSignal.any(signals) });
    had = 'no whole answer';
    const value = await readValue(answer, limit, by);
    if (answer.ok) return value;
    throw new Refusal(`${method} ${path}`, answer, value);
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof Refusal || cause instanceof SyntaxError) throw cause;
    const why = limit.signal.aborted ? `${had} within ${timeoutMs} ms` : 'the connection failed';
    throw new Unanswered(`${method} ${url}: ${why}`, { cause });
  } finally {
    limit.end();
  }
}

/** By what the answer says it is, so that one route may answer in more than one way. */
async function readValue(
  answer: Response,
  limit: AnswerLimit,
  { onEventId }: CallOptions,
): Promise<unknown> {
  const type = answer.headers.get('content-type') ?? '';
  if (answer.ok && type.startsWith('text/event-stream') && answer.body !== null) {
    return serverEvents(answer.body, onEventId);
  }
  const whole = limited(answer, limit);
  if (answer.ok && type !== '' && !/^(application\/json|text\/)/.test(type))
    return await whole.blob();
  const text = await whole.text();
  if (text === '') return undefined;
  return type.startsWith('application/json') ? (JSON.parse(text) as unknown) : text;
}
