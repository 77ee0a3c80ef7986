import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import type { FaultCode } from '../../machines/fault.ts';
import type { EdgeDeps } from './deps.ts';

/** Who may call: nobody in particular, a registered miner or validator, either, or an operator. */
export type Role = 'public' | 'miner' | 'validator' | 'hotkey' | 'operator';

export interface Caller {
  /** Canonical SS58 of the proven key, or the operator's name. */
  readonly name: string;
  readonly role: 'miner' | 'validator' | 'operator';
  /** 64 lower-case hex digits of the public key; empty for operators. */
  readonly publicKeyHex: string;
  /** SS58 of the owner, where the chain names one. */
  readonly coldkey: string | null;
}

export interface RequestContext {
  /** W3C trace id of the request, sent back as X-Request-Id. */
  readonly requestId: string;
  /** The caller's absolute deadline in Unix milliseconds. */
  readonly deadlineMs: number;
  readonly remoteAddress: string;
  /** Of the `Idempotency-Key` header, where the endpoint honours it. */
  readonly idempotencyKey: string | undefined;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  /** The unread body of a `multipart` or `raw` endpoint. */
  readonly stream: IncomingMessage;
}

type Shape = z.ZodType;
type Out<S extends Shape | undefined> = S extends Shape ? z.output<S> : undefined;

/**
 * An endpoint as a value: what it takes, what it answers, how it may refuse, and what it does.
 * Validation, authentication, OpenAPI and the router all follow from it; there is no second list.
 */
export interface Endpoint<
  P extends Shape | undefined = Shape | undefined,
  Q extends Shape | undefined = Shape | undefined,
  B extends Shape | undefined = Shape | undefined,
  R extends Shape = Shape,
> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With `{name}` parameters, as in the specification. */
  readonly path: string;
  readonly role: Role;
  readonly summary: string;
  /** 0 heartbeat, results, complete, standings; 1 claim, submit, presign, operators; 2 reads. */
  readonly trafficClass: 0 | 1 | 2;
  readonly params?: P;
  readonly query?: Q;
  /** A JSON body's schema; `null` bodies of optional kind use `.optional()`. */
  readonly body?: B;
  /** `json` by default where `body` is given; `multipart` and `raw` leave the stream unread. */
  readonly bodyKind?: 'json' | 'multipart' | 'raw';
  /** Which configured limit bounds the JSON body. */
  readonly bodyLimit?: 'json' | 'results' | 'operator';
  readonly response: R;
  /** 200 unless given; a handler answers 204 by returning `undefined` where `mayBeEmpty`. */
  readonly mayBeEmpty?: boolean;
  /** Prose and media type for OpenAPI where the answer or the body is not JSON. */
  readonly requestMediaType?: string;
  readonly faults: readonly FaultCode[];
  readonly deprecated?: boolean;
  handle(
    request: { caller: Caller; params: Out<P>; query: Out<Q>; body: Out<B>; context: RequestContext },
    deps: EdgeDeps,
  ): Promise<z.input<R> | undefined>;
}

/** Types an endpoint by its own schemas; for `public` endpoints `caller` must not be used. */
export function endpoint<
  P extends Shape | undefined = undefined,
  Q extends Shape | undefined = undefined,
  B extends Shape | undefined = undefined,
  R extends Shape = Shape,
>(definition: Endpoint<P, Q, B, R>): Endpoint<P, Q, B, R> {
  return definition;
}
