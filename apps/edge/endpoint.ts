import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import type { FaultCode } from '../../machines/fault.ts';
import type { AwaitedAnswer } from './awaited-answer.ts';
import type { EdgeDeps } from './deps.ts';
import type { PreparedAnswer } from './prepared-answer.ts';
import type { CachePolicy } from './public-reads/send-representation.ts';
import type { StreamedAnswer } from './streamed-answer.ts';

/**
 * Who may call: nobody in particular, a registered miner or validator, either, an operator, or the
 * agent of a live evaluation run by the run's inference token.
 */
export type Role = 'public' | 'miner' | 'validator' | 'hotkey' | 'operator' | 'run';

/**
 * Whose object a request may name, which is closed to all others that have the role: `nobody`'s is
 * hidden from none of them; `caller`: it names none and acts on what is the caller's; an `agent` or a
 * `version` is its miner's; a `run` is its validator's; a `pack` and a `race`'s tasks are theirs who
 * work with them now; a `release` is nobody's until it is everybody's. All is the operators'.
 */
export type Owner = 'nobody' | 'caller' | 'agent' | 'version' | 'run' | 'pack' | 'race' | 'release';

export interface Caller {
  /** Canonical SS58 of the proven key, the operator's name or the run's id; empty on public endpoints. */
  readonly name: string;
  readonly role: 'public' | 'miner' | 'validator' | 'operator' | 'run';
  /** 64 lower-case hex digits of the public key; empty where no key was proven. */
  readonly publicKeyHex: string;
  /** SS58 of the owner, where the chain names one. */
  readonly coldkey: string | null;
  /**
   * SS58 of all hotkeys that this owner has now, of a validator; its work at its claim is none of theirs.
   * Null: there are too many to be told, and it is given none.
   */
  readonly ownedHotkeys: readonly string[] | null;
}

export interface RequestContext {
  /** W3C trace id of the request, sent back as X-Request-Id. */
  readonly requestId: string;
  /** The caller's absolute deadline in Unix milliseconds. */
  readonly deadlineMs: number;
  /** For limits: an IPv4 address or the /64 of an IPv6 one. */
  readonly remoteAddress: string;
  /** The client spoke TLS, to us or to a proxy that we trust. */
  readonly isSecure: boolean;
  /** Of the `Idempotency-Key` header, where one was sent and the endpoint heeds it. */
  readonly idempotencyKey: string | undefined;
  /**
   * The id of the command that this request means: 64 hex digits of (caller, route, key) under an
   * `Idempotency-Key`, so that a repeat is the same command on any edge; else a fresh UUID.
   */
  readonly commandId: string;
  /** Lower-case names. */
  readonly headers: IncomingMessage['headers'];
  /** The `Authorization: Bearer` text, where there is one; for the routes that act on the session. */
  readonly bearerToken: string | undefined;
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
  /** Said on every route but the operators'; the matrix of what is closed to whom follows from it. */
  readonly owner?: Owner;
  readonly summary: string;
  /** 0 heartbeat, results, complete, standings; 1 claim, submit, presign, operators; 2 reads. */
  readonly trafficClass: 0 | 1 | 2;
  readonly params?: P;
  readonly query?: Q;
  /** A JSON body's schema; `null` bodies of optional kind use `.optional()`. */
  readonly body?: B;
  /** `json` by default where `body` is given; `multipart` and `raw` leave the stream unread. */
  readonly bodyKind?: 'json' | 'multipart' | 'raw';
  /**
   * Gives a body back that a database takes, or refuses it; asked only where a text in it may hold a NUL or
   * half of a surrogate pair. For bodies with words of agents: validators drop work on a 4xx, so that by one
   * odd character an agent could keep from us what is said of it. What nests too deep is cut in them, too.
   */
  mend?(body: Out<B>): Out<B>;
  /** Which configured limit bounds the JSON body. */
  readonly bodyLimit?: 'json' | 'results' | 'operator' | 'inference';
  /** For what load balancers ask: whoever answers them 429 is taken for dead. */
  readonly isUnlimited?: boolean;
  /** A limit by address of its own, which counts every request to it, also one that cannot be read. */
  readonly ownRate?: 'challenge' | 'session';
  /** A repeat under the same `Idempotency-Key` gets the first answer; operators' orders always. */
  readonly isRepeatable?: boolean;
  /** How long the edge works for an answer; `request` unless given. */
  readonly budget?: 'request' | 'completion' | 'submission' | 'upload' | 'advance' | 'inference';
  readonly response: R;
  /** 200 unless given; a handler answers 204 by returning `undefined` where `mayBeEmpty`. */
  readonly mayBeEmpty?: boolean;
  /** Further statuses under which a `PreparedAnswer` may bring `response`. */
  readonly alsoUnder?: readonly number[];
  /** For OpenAPI where the handler reads the body itself, or looks at its parts one by one. */
  readonly requestShape?: Shape;
  /** Media type for OpenAPI where the body is not JSON. */
  readonly requestMediaType?: string;
  /** The same for an answer that is not JSON. */
  readonly responseMediaType?: string;
  /** As what else a success may come where the request asks for it. */
  readonly alsoAs?: 'text/event-stream';
  /** For OpenAPI: headers that the handler heeds, by their names. */
  readonly requestHeaders?: Shape;
  readonly faults: readonly FaultCode[];
  /**
   * Only for public GET: the answer depends on path and query alone, is shared by those who ask at
   * once, tagged and compressed, and may be kept for so long.
   */
  readonly cache?: CachePolicy;
  /** What every request is answered in this process: written once, and sent without a queue. */
  readonly constant?: z.input<R>;
  /**
   * Whom a request waits for, and so whose outage it may tell of: a read the store and a change an
   * owner over the bus, unless given.
   */
  readonly asks?: 'nobody' | 'store' | 'owner';
  /**
   * Goes on through a short outage of the store: of who has a session, what the store said last counts.
   * Only for what writes nothing and what the owner judges by itself.
   */
  readonly isHeardInOutage?: true;
  /** Kept for older clients only: the answers say so (RFC 9745) and name what to use instead. */
  readonly deprecated?: Deprecation;
  /**
   * Before the body is read: refuses what caller, path and headers alone refuse, and takes the place
   * of what is to come. Gives it back when what it answers is called, once the response has closed.
   */
  admit?(request: AdmittedRequest<P, Q>, deps: EdgeDeps): () => void;
  handle(
    request: EndpointRequest<P, Q, B>,
    deps: EdgeDeps,
  ): Promise<z.input<R> | AwaitedAnswer | PreparedAnswer | StreamedAnswer | undefined>;
}

export interface Deprecation {
  /** Unix seconds since when nobody should begin to use it. */
  readonly since: number;
  /** The path of the route that replaces it. */
  readonly successor: string;
}

export interface EndpointRequest<
  P extends Shape | undefined = Shape | undefined,
  Q extends Shape | undefined = Shape | undefined,
  B extends Shape | undefined = Shape | undefined,
> {
  readonly caller: Caller;
  readonly params: Out<P>;
  readonly query: Out<Q>;
  readonly body: Out<B>;
  readonly context: RequestContext;
}

/** What is known of a request whose body nobody has read. */
export type AdmittedRequest<
  P extends Shape | undefined = Shape | undefined,
  Q extends Shape | undefined = Shape | undefined,
> = Omit<EndpointRequest<P, Q>, 'body'>;

/** Types an endpoint by its own schemas; on `public` endpoints `caller` names nobody. */
export function endpoint<
  P extends Shape | undefined = undefined,
  Q extends Shape | undefined = undefined,
  B extends Shape | undefined = undefined,
  R extends Shape = Shape,
>(definition: Endpoint<P, Q, B, R>): Endpoint<P, Q, B, R> {
  return definition;
}

/** Whether an `Idempotency-Key` means something; elsewhere it would give a challenge back or hide new results. */
export function heedsRepeats({ isRepeatable, method, role }: Endpoint): boolean {
  return isRepeatable === true || (role === 'operator' && method !== 'get');
}
