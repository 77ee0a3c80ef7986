import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../ports/clock.ts';
import type { ServedModel } from '../../ports/inference.ts';
import type { Behaviour, StandInFault } from './behaviour.ts';
import type { SignedKeys } from './signed-keys.ts';

/** What a stand-in has seen since its start. */
export interface StandInCounts {
  /** Of any kind, whatever became of them. */
  requests: number;
  keysMade: number;
  keysRevoked: number;
  modelLists: number;
  completions: number;
  /** Completions that are being answered. */
  open: number;
  /** Completions whose client went away before the end. */
  aborted: number;
  /** Chunks of streams that were handed to the connection. */
  chunksSent: number;
}

/** A provider's insides, as its routes see them. */
export interface StandIn {
  readonly clock: Clock;
  readonly behaviour: Behaviour;
  readonly keys: SignedKeys;
  readonly models: readonly ServedModel[];
  readonly counts: StandInCounts;
}

export interface StandInRequest {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly body: string;
  readonly bearer: string;
  /** Aborts when the client has gone. */
  readonly gone: AbortSignal;
  /** What streams are to meet on their way. */
  readonly fault: StandInFault | undefined;
}

export function answerJson(
  { response }: Pick<StandInRequest, 'response'>,
  status: number,
  body: object,
): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** In the form that clients of such providers know. */
export function answerError(request: StandInRequest, status: number, message: string): void {
  answerJson(request, status, { error: { message, code: status } });
}

/** Whoever shows one is the owner of an account; others are nobody. */
export function isCredential({ behaviour }: StandIn, credential: string): boolean {
  return credential.startsWith('demo-') && !behaviour.now.rejected.includes(credential);
}

/** The request's JSON object; undefined for anything else. */
export function jsonBody({ body }: StandInRequest): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    // Sound because any object without a list's order has names for keys.
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
