import type { IncomingMessage, ServerResponse } from 'node:http';
import { settleHead } from '../answer-head.ts';

/** How long a browser may remember what it may ask: a changed setting is seen within the hour. */
const rememberedSeconds = 600;

/** Headers of an answer that a script may read beside the few that it always may. */
const shown = 'Deprecation, ETag, Link, Retry-After, X-Request-Id';

/** Headers that a public read heeds. None of them proves anything: scripts send no credentials. */
const heeded = 'If-None-Match, Last-Event-ID, Traceparent';

/**
 * Which pages of other sites may read what is public. None unless configured, by exact origin; never
 * with credentials, and never anything but a public read.
 */
export class CrossOrigin {
  readonly #origins: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  /** To be called for the answer of every public read, before it is made. */
  grant({ headers }: IncomingMessage, response: ServerResponse): boolean {
    if (this.#origins.size === 0) return false;
    // Also for those who are refused: a cache must not hand their answer to the others.
    settleHead(response);
    response.setHeader('Vary', 'Origin');
    const { origin } = headers;
    if (origin === undefined || !this.#origins.has(origin)) return false;
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Expose-Headers', shown);
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    return true;
  }

  /** Answers a browser that asks beforehand; false where it is no such question of a known page. */
  answerPreflight(request: IncomingMessage, response: ServerResponse): boolean {
    const method = request.headers['access-control-request-method'];
    if (request.method !== 'OPTIONS' || (method !== 'GET' && method !== 'HEAD')) return false;
    if (!this.grant(request, response)) return false;
    response.setHeader('Access-Control-Allow-Methods', 'GET, HEAD');
    response.setHeader('Access-Control-Allow-Headers', heeded);
    response.setHeader('Access-Control-Max-Age', String(rememberedSeconds));
    response.statusCode = 204;
    response.end();
    return true;
  }
}
