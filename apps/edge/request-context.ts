import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestIdOf } from './answer-head.ts';
import { bearerTokenOf } from './auth/authenticator.ts';
import { type Caller, type Endpoint, heedsRepeats, type RequestContext } from './endpoint.ts';
import { isGivenUp } from './given-up.ts';
import { ClientGone } from './middleware/json-body.ts';
import { invalidField } from './validation.ts';

interface Known {
  readonly caller: Caller;
  readonly params: unknown;
  readonly deadlineMs: number;
}

interface Ways {
  readonly remoteAddress: (request: IncomingMessage) => string;
  readonly isSecure: (request: IncomingMessage) => boolean;
  readonly newCommandId: () => string;
}

/** What handlers may ask about a request, each found out when somebody does: few ask for much of it. */
export class AskedContext implements RequestContext {
  readonly deadlineMs: number;
  readonly idempotencyKey: string | undefined;
  readonly stream: IncomingMessage;
  readonly #endpoint: Endpoint;
  readonly #response: ServerResponse;
  readonly #known: Known;
  readonly #ways: Ways;
  #commandId: string | undefined;
  #signal: AbortSignal | undefined;

  constructor(
    endpoint: Endpoint,
    http: { readonly request: IncomingMessage; readonly response: ServerResponse },
    known: Known,
    ways: Ways,
  ) {
    this.#endpoint = endpoint;
    this.stream = http.request;
    this.#response = http.response;
    this.#known = known;
    this.#ways = ways;
    this.deadlineMs = known.deadlineMs;
    this.idempotencyKey = heedsRepeats(endpoint) ? idempotencyKeyOf(http.request) : undefined;
  }

  get requestId(): string {
    return requestIdOf(this.#response) ?? '';
  }

  get remoteAddress(): string {
    return this.#ways.remoteAddress(this.stream);
  }

  get isSecure(): boolean {
    return this.#ways.isSecure(this.stream);
  }

  get headers(): IncomingMessage['headers'] {
    return this.stream.headers;
  }

  get bearerToken(): string | undefined {
    return bearerTokenOf(this.stream.headers);
  }

  get commandId(): string {
    this.#commandId ??= this.#newCommandId();
    return this.#commandId;
  }

  /** One that many share goes on when the client leaves that began it. */
  get signal(): AbortSignal {
    this.#signal ??= this.#endpoint.cache === undefined ? goneSignal(this.#response) : neverAborted;
    return this.#signal;
  }

  #newCommandId(): string {
    const { idempotencyKey } = this;
    if (idempotencyKey === undefined) return this.#ways.newCommandId();
    const { caller, params } = this.#known;
    const { method, path } = this.#endpoint;
    // Not the text of the path: an id in upper case or percent encoding is the same object.
    const route = [method, path, JSON.stringify(params ?? {})];
    return hexDigest([caller.role, caller.name, ...route, idempotencyKey]);
  }
}

const neverAborted = new AbortController().signal;

function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const leave = () => {
    if (!response.writableFinished || isGivenUp(response)) gone.abort(new ClientGone());
  };
  if (response.destroyed) leave();
  else response.once('close', leave);
  return gone.signal;
}

function hexDigest(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex');
}

function idempotencyKeyOf(request: IncomingMessage): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw invalidField(['header', 'idempotency-key'], 'must be 1 to 255 visible ASCII characters');
}
