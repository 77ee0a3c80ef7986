import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type PublicEvent, publicEvent } from '../../machines/feed/public-event.ts';

export interface Delivery {
  readonly path: string;
  readonly id: string;
  readonly timestamp: number;
  readonly signature: string;
  readonly body: string;
  readonly event: PublicEvent;
  readonly status: number;
  readonly atMs: number;
}

/** No status: nothing is said at all. */
export const silent = 0;

/** What to answer the n-th delivery. */
export type Behaviour = (
  delivery: Omit<Delivery, 'status'>,
  index: number,
) => number | Promise<number>;

/** Somebody's server on 127.0.0.1 that is told of events. */
export async function startReceiver(behave: Behaviour = () => 204) {
  const deliveries: Delivery[] = [];
  let open = 0;
  let openMost = 0;
  let answerBy = behave;
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    open += 1;
    openMost = Math.max(openMost, open);
    response.once('close', () => {
      open -= 1;
    });
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { headers } = request;
    const delivery = {
      path: request.url ?? '',
      id: String(headers['webhook-id']),
      timestamp: Number(headers['webhook-timestamp']),
      signature: String(headers['webhook-signature']),
      body,
      event: publicEvent.parse(JSON.parse(body)),
      atMs: Date.now(),
    };
    const status = await answerBy(delivery, deliveries.length);
    deliveries.push({ ...delivery, status });
    if (status !== silent) response.writeHead(status, redirectTo(status)).end();
  };
  const server = createServer((request, response) => {
    take(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/told`,
    port,
    deliveries,
    openMost: () => openMost,
    behave: (next: Behaviour) => {
      answerBy = next;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

function redirectTo(status: number): Record<string, string> {
  return status >= 300 && status < 400 ? { location: '/elsewhere' } : {};
}

/** As a receiver would check it, from the description in infra/reference alone. */
export function isSigned(
  delivery: Pick<Delivery, 'body' | 'id' | 'signature' | 'timestamp'>,
  secret: string,
): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const text = `${delivery.id}.${delivery.timestamp}.${delivery.body}`;
  return delivery.signature === `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
}
