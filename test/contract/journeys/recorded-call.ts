import type { ExecutionContext } from 'ava';
import { type RouteId, routeOf } from '../../spec/routes.ts';
import type { TestService } from '../../support/edge.ts';
import type { TestKey } from '../../support/edge-client.ts';

/** One call as a deployed client was seen to make it: the bytes of its body, or none at all. */
export interface RecordedCall {
  readonly route: RouteId;
  readonly params?: Readonly<Record<string, string>>;
  /** Already serialised; undefined sends neither a body nor a content type. */
  readonly body?: string | FormData;
  readonly status: number;
}

/**
 * Replays calls of a client that holds a session: it sends a Bearer token, `Content-Type` where it
 * has a body, and nothing else.
 */
export class Replay {
  readonly #service: TestService;
  readonly #token: string;

  constructor(service: TestService, token: string) {
    this.#service = service;
    this.#token = token;
  }

  static async signIn(service: TestService, key: TestKey): Promise<Replay> {
    return new Replay(service, await key.openSession());
  }

  async call<T>(t: ExecutionContext, recorded: RecordedCall): Promise<T> {
    const { method, path } = routeOf(recorded.route);
    const target = path.replaceAll(
      /\{(\w+)\}/g,
      (_, name: string) => recorded.params?.[name] ?? '',
    );
    const headers: Record<string, string> = { authorization: `Bearer ${this.#token}` };
    if (typeof recorded.body === 'string') headers['content-type'] = 'application/json';
    const answer = await this.#service.call(method, target, {
      headers,
      ...(recorded.body !== undefined && { body: recorded.body }),
    });
    const text = await answer.text();
    t.is(answer.status, recorded.status, `${method} ${target}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }
}
