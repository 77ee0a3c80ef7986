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
import { ForeignAnswer, foreignAnswer, formOf } from './foreign-answer.ts';
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
  /** Told of the first failure of a call that is asked again. */
  readonly onRepeat?: (error: unknown) => void;
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
    const told = once(options.onRepeat);
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, pauseMaxMs)) {
      try {
        return await attempt(call, given, { ...options, ...callOptions });
      } catch (error) {
        if (wasLost && isAnswered(error)) error.isAfterLost = true;
        wasLost ||= !isAnswered(error) || error.leavesOpen;
        const waitMs = Math.max(pauseMs, retryAfterMs(error) ?? 0);
        if (!isSafe || !isTemporary(error) || clock.monotonicMs() + waitMs > deadlineMs)
          throw error;
        told(error);
        await pause(waitMs, clock, callOptions.signal);
      }
    }
  };
}

function once(tell: ClientOptions['onRepeat']): (error: unknown) => void {
  let isTold = false;
  return (error) => {
    if (!isTold) tell?.(error);
    isTold = true;
  };
}

/** Who gives up meanwhile asks for no proof any more: nothing aborts that, and it may be what failed. */
async function pause(waitMs: number, clock: Clock, signal?: AbortSignal): Promise<void> {
  await clock.sleep(waitMs, signal);
  signal?.throwIfAborted();
}

function isAnswered(error: unknown): error is Refusal | Unanswered {
  return error instanceof Refusal || error instanceof Unanswered;
}

/** An address that is another one now is so for longer than anybody waits. */
function isTemporary(error: unknown): boolean {
  if (error instanceof ForeignAnswer) return error.movedTo === undefined;
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
  call: Call,
  url: string,
  by: ClientOptions & CallOptions,
  init: RequestInit,
): Promise<unknown> {
  const { clock, timeoutMs = defaultTimeoutMs, signal, baseUrl } = by;
  const { method, path } = call;
  const limit = new AnswerLimit(timeoutMs, clock);
  let had = 'no answer';
  try {
    const signals = signal === undefined ? [limit.signal] : [limit.signal, signal];
    const way = { redirect: 'manual', signal: AbortSignal.any(signals) } as const;
    const answer = await fetch(url, { ...init, ...way });
    had = 'no whole answer';
    const foreign = foreignAnswer(call, { baseUrl, url }, answer);
    if (foreign !== undefined) {
      await answer.body?.cancel();
      throw foreign;
    }
    if (!answer.ok)
      throw new Refusal(`${method} ${path}`, answer, await readRefusal(answer, limit));
    return await readValue(answer, limit, by);
  } catch (cause) {
    signal?.throwIfAborted();
    if (isAnswered(cause)) throw cause;
    if (cause instanceof SyntaxError) {
      const says = 'answered with JSON that cannot be read';
      throw new ForeignAnswer({ baseUrl, url, method, says }, { cause });
    }
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
  const form = formOf(answer);
  if (form === '') return undefined;
  if (form === 'text/event-stream' && answer.body !== null)
    return serverEvents(answer.body, onEventId);
  const whole = limited(answer, limit);
  if (form === 'application/json') return await whole.json();
  return form.startsWith('text/') ? await whole.text() : await whole.blob();
}

/** What is no JSON, whatever it says it is, is a proxy's text. */
async function readRefusal(answer: Response, limit: AnswerLimit): Promise<unknown> {
  const text = await limited(answer, limit).text();
  if (text === '') return undefined;
  if (formOf(answer) !== 'application/json') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
