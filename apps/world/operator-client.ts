import { readFile } from 'node:fs/promises';
import { randomId } from '../../infra/ids/ids.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import { exchange } from './participants/http-exchange.ts';
import { expectOk } from './participants/refusal.ts';
import { untilAnswered } from './participants/retry.ts';

/** The operator's own requests, and the public reads, which need no credentials. */
export interface OperatorClient {
  get(path: string): Promise<unknown>;
  send(method: 'DELETE' | 'POST' | 'PUT', path: string, json?: unknown): Promise<unknown>;
  uploadFile(path: string, file: string): Promise<unknown>;
}

export function operatorClient(options: {
  readonly baseUrl: string;
  readonly token: string;
  readonly clock: Clock;
}): OperatorClient {
  const { baseUrl, token, clock } = options;

  async function ask(
    method: string,
    path: string,
    body?: { readonly type: string; readonly bytes: Uint8Array | string },
  ): Promise<unknown> {
    const headers: Record<string, string> = {};
    if (path.startsWith('/v1/admin/')) headers['authorization'] = `Bearer ${token}`;
    if (body !== undefined) {
      headers['content-type'] = body.type;
      // A repeat after a lost answer must not be a second order.
      headers['idempotency-key'] = randomId();
    }
    const question = { method, url: `${baseUrl}${path}`, headers, body: body?.bytes ?? '' };
    const answer = await untilAnswered(clock, () => exchange(question));
    const json = answer.body.length === 0 ? null : JSON.parse(answer.body.toString());
    return expectOk(`${method} ${path}`, { status: answer.status, body: json });
  }

  return {
    get: (path) => ask('GET', path),
    send: (method, path, json = {}) =>
      ask(method, path, { type: 'application/json', bytes: JSON.stringify(json) }),
    uploadFile: async (path, file) =>
      ask('POST', path, { type: 'application/gzip', bytes: await readFile(file) }),
  };
}
