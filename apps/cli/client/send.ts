import type { Clock } from '../../../infra/ports/clock.ts';
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
  /** Of one attempt, until the headers of its answer. */
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
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, pauseMaxMs)) {
      try {
        return await attempt(call, given, { ...options, ...callOptions });
      } catch (error) {
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
  const answer = await answerOf(url, by, {
    method: call.method,
    headers: { ...headers, ...headersOf(call, given), ...proof },
    ...(body !== undefined && { body, duplex: 'half' }),
  });
  const value = await readValue(answer, by);
  if (answer.ok) return value;
  throw new Refusal(`${call.method} ${call.path}`, answer, value);
}

async function answerOf(
  url: string,
  { clock, timeoutMs = defaultTimeoutMs, signal }: ClientOptions & CallOptions,
  init: RequestInit,
): Promise<Response> {
  const late = new AbortController();
  const answered = new AbortController();
  const waiting = clock.sleep(timeoutMs, answered.signal).then(
    () => answered.signal.aborted || late.abort(),
    () => undefined,
  );
  try {
    const signals = signal === undefined ? [late.signal] : [late.signal, signal];
    return await fetch(url, { ...init, signal: AbortSignal.any(signals) });
  } catch (cause) {
    signal?.throwIfAborted();
    const why = late.signal.aborted ? `no answer within ${timeoutMs} ms` : 'the connection failed';
    throw new Unanswered(`${init.method} ${url}: ${why}`, { cause });
  } finally {
    answered.abort();
    await waiting;
  }
}

/** By what the answer says it is, so that one route may answer in more than one way. */
async function readValue(answer: Response, { onEventId }: CallOptions): Promise<unknown> {
  const type = answer.headers.get('content-type') ?? '';
  if (answer.ok && type.startsWith('text/event-stream') && answer.body !== null) {
    return serverEvents(answer.body, onEventId);
  }
  if (answer.ok && type !== '' && !/^(application\/json|text\/)/.test(type))
    return await answer.blob();
  const text = await answer.text();
  if (text === '') return undefined;
  return type.startsWith('application/json') ? (JSON.parse(text) as unknown) : text;
}
