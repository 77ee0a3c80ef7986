import type { IncomingMessage, ServerResponse } from 'node:http';
import { jsonType } from './answer.ts';
import type { Dispatch } from './dispatch.ts';
import type { Endpoint } from './endpoint.ts';
import { announcesBody } from './middleware/json-body.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { oddityOf } from './unreadable.ts';

export interface ConstantAnswersDeps {
  readonly requestIdOf: (request: IncomingMessage) => string;
  readonly dispatch: Pick<Dispatch, 'admission' | 'clock' | 'isSecure' | 'telemetry'>;
}

interface Known {
  readonly endpoint: Endpoint;
  readonly body: string;
  /** As UTF-8 the engine would look at each character of what is ASCII all over. */
  readonly encoding: BufferEncoding;
  /** Names and values in turn, as they are written. */
  readonly head: readonly string[];
}

/**
 * What is answered the same to everybody, as text that was written once. Each costs less than a place in
 * a queue would, and is over before the next request is looked at, so none is given.
 */
export class ConstantAnswers {
  readonly #deps: ConstantAnswersDeps;
  readonly #byTarget = new Map<string, Known>();

  constructor(endpoints: readonly Endpoint[], deps: ConstantAnswersDeps) {
    this.#deps = deps;
    for (const endpoint of endpoints) {
      if (endpoint.constant === undefined) continue;
      const body = JSON.stringify(endpoint.constant);
      const length = Buffer.byteLength(body);
      const encoding = length === body.length ? 'latin1' : 'utf8';
      const lines = ['Content-Type', jsonType, 'Content-Length', String(length)];
      const head = [...lines, ...securityHeaders.flat()];
      this.#byTarget.set(endpoint.path, { endpoint, body, encoding, head });
    }
  }

  /** False for whatever is not the plainest request of one: that goes the way of all others. */
  give(request: IncomingMessage, response: ServerResponse): boolean {
    const known = this.#byTarget.get(request.url ?? '');
    if (known === undefined || request.method !== 'GET' || announcesBody(request)) return false;
    const { dispatch, requestIdOf } = this.#deps;
    const { admission, clock, isSecure, telemetry } = dispatch;
    if (oddityOf(request) !== undefined || isSecure(request)) return false;
    const { endpoint, head, body, encoding } = known;
    if (!admission.enter(endpoint.trafficClass)) return false;
    admission.leave();
    const startedMs = clock.monotonicMs();
    response.writeHead(200, ['X-Request-Id', requestIdOf(request), ...head]);
    response.end(body, encoding);
    telemetry.record('paddock.edge.request.duration', clock.monotonicMs() - startedMs, {
      ...{ method: endpoint.method, route: endpoint.path, status: '2xx' },
    });
    return true;
  }
}
