import { openAsBlob } from 'node:fs';
import { randomId } from '../../infra/ids/ids.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import { bearer } from '../cli/client/credentials.ts';
import {
  type PaddockClient,
  type PostAdminPacksAnswer,
  paddockClient,
} from '../cli/client/paddock.generated.ts';
import { sender } from '../cli/client/send.ts';
import { exchange } from './participants/http-exchange.ts';
import { expectOk } from './participants/refusal.ts';
import { patienceMs, untilAnswered } from './participants/retry.ts';

/** The operator's own requests, and the public reads, which need no credentials. */
export interface OperatorClient {
  /** Every route by name; orders are repeated after an outage only under an `idempotencyKey`. */
  readonly api: PaddockClient;
  get(path: string): Promise<unknown>;
  uploadPack(file: string): Promise<PostAdminPacksAnswer>;
  send(method: 'DELETE' | 'POST' | 'PUT', path: string, json?: unknown): Promise<unknown>;
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

  const credentials = { operator: bearer(token) };
  const api = paddockClient(sender({ baseUrl, clock, credentials, patienceMs }));
  return {
    api,
    uploadPack: async (file) =>
      await api.postAdminPacks({ body: await openAsBlob(file), idempotencyKey: randomId() }),
    get: (path) => ask('GET', path),
    send: (method, path, json = {}) =>
      ask(method, path, { type: 'application/json', bytes: JSON.stringify(json) }),
  };
}
