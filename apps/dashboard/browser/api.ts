import { nowMs } from './clock.ts';
import { fetchInTime, textInTime } from './in-time.ts';

/** An answer that is no success, or none at all (status 0), in words for a person. */
export class Refused extends Error {
  override name = 'Refused';
  readonly status: number;
  readonly code: string;
  /** When to try again, where the service said so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(said: {
    readonly status: number;
    readonly code: string;
    readonly detail: string;
    readonly retryAfterSeconds?: number | undefined;
  }) {
    super(said.detail);
    this.status = said.status;
    this.code = said.code;
    this.retryAfterSeconds = said.retryAfterSeconds;
  }

  /** Whether the same question may be answered later. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

export interface Asking {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly body?: unknown;
  /** Of a session or an operator. */
  readonly token?: string | undefined;
  /** A repeat under the same one is carried out once. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
  /** Told beside a success. */
  readonly onHeaders?: (headers: Headers) => void;
}

export async function ask<T>(path: string, asking: Asking = {}): Promise<T> {
  const { method = 'GET', body, token, idempotencyKey, signal } = asking;
  const answer = await answerOf(path, {
    method,
    // An event said that it changed: what the browser kept is asked for again, by its tag.
    cache: 'no-cache',
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  });
  const text = await textInTime(answer);
  if (!answer.ok) throw refusalOf(answer, text);
  asking.onHeaders?.(answer.headers);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

async function answerOf(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetchInTime(path, init);
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    const detail = 'The service did not answer. Check your connection.';
    throw new Refused({ status: 0, code: 'UNANSWERED', detail });
  }
}

export function refusalOf({ status, headers }: Response, text: string): Refused {
  const body = parsedOrNothing(text);
  const said: unknown = Reflect.get(body, 'detail');
  const code: unknown = Reflect.get(body, 'error_code');
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return new Refused({
    status,
    code: typeof code === 'string' ? code : `HTTP_${status}`,
    detail: typeof said === 'string' ? said : fieldsOf(said),
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
  });
}

function parsedOrNothing(text: string): object {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Of a 422 that names fields. */
function fieldsOf(detail: unknown): string {
  const errors = Array.isArray(detail) ? (detail as { loc?: unknown[]; msg?: string }[]) : [];
  const said = errors.map(({ loc = [], msg }) => `${loc.slice(1).join('.')}: ${msg ?? ''}`);
  return said.length > 0 ? said.join('; ') : 'The service gave no reason.';
}

/** Unique in this page, which is all that a key of a repeat needs beside the caller's name. */
let keys = 0;
export function newKey(purpose: string): string {
  keys += 1;
  return `pages-${purpose}-${nowMs()}-${keys}`;
}
