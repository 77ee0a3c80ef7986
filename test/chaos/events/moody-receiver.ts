import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import type { Delivery } from './records.ts';

export interface MoodyReceiverOptions {
  readonly choose: (below: number) => number;
  /** Of a thousand deliveries, how many it is in a mood for. */
  readonly moodyPerThousand: number;
  /** After which the sender does not wait any more. */
  readonly timeoutMs: number;
}

export interface MoodyReceiver extends AsyncDisposable {
  readonly url: string;
  readonly deliveries: readonly Delivery[];
  /** Deliveries that were not simply taken. */
  readonly moods: ReadonlyMap<Mood, number>;
  /** Takes everything from now on. */
  calmDown(): void;
}

export const moods = [
  'late',
  'too late',
  'error',
  'redirect',
  'cut before it reads',
  'cut before it answers',
  'cut within its answer',
] as const;
export type Mood = (typeof moods)[number];

const errors = [400, 404, 410, 429, 500, 502, 503];

/** Somebody's server that is told of events and behaves as badly as those do. */
export async function startMoodyReceiver(options: MoodyReceiverOptions): Promise<MoodyReceiver> {
  const { choose, moodyPerThousand } = options;
  const deliveries: Delivery[] = [];
  const had = new Map<Mood, number>();
  let isCalm = false;
  const draw = (): Mood | undefined => {
    if (isCalm || choose(1000) >= moodyPerThousand) return undefined;
    const mood = moods[choose(moods.length)] ?? 'error';
    had.set(mood, (had.get(mood) ?? 0) + 1);
    return mood;
  };
  const server = createServer((request, response) => {
    const mood = draw();
    if (mood === 'cut before it reads') return void request.socket.resetAndDestroy();
    read(request)
      .then(async (delivery) => {
        deliveries.push(delivery);
        await answer({ delivery, response, mood }, options);
      })
      // The sender went away in the middle of it, and says it again.
      .catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    ...{ url: `http://127.0.0.1:${port}/told`, deliveries, moods: had },
    calmDown: () => {
      isCalm = true;
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function read(request: IncomingMessage): Promise<Delivery> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  const { headers } = request;
  return {
    id: String(headers['webhook-id']),
    timestamp: Number(headers['webhook-timestamp']),
    signature: String(headers['webhook-signature']),
    body,
    atMs: Date.now(),
    outcome: 'unsure',
  };
}

interface Answering {
  readonly delivery: Delivery;
  readonly response: ServerResponse;
  readonly mood: Mood | undefined;
}

async function answer(
  { delivery, response, mood }: Answering,
  { choose, timeoutMs }: MoodyReceiverOptions,
): Promise<void> {
  switch (mood) {
    case 'error':
      delivery.outcome = 'refused';
      response.writeHead(errors[choose(errors.length)] ?? 500).end();
      return;
    case 'redirect':
      delivery.outcome = 'refused';
      response.writeHead(307, { location: '/elsewhere' }).end();
      return;
    case 'cut before it answers':
      delivery.outcome = 'refused';
      response.socket?.resetAndDestroy();
      return;
    case 'cut within its answer':
      // What the sender has read of it, nobody here can tell.
      response.writeHead(200, { 'content-length': '100' }).write('tak');
      await systemClock.sleep(5);
      response.socket?.resetAndDestroy();
      return;
    case 'too late':
      // A sender that was frozen or crowded out may find the answer before it finds that it is late.
      await systemClock.sleep(timeoutMs + 250);
      response.writeHead(200).end();
      return;
    case 'late':
      await systemClock.sleep(choose(Math.floor(timeoutMs / 4)));
      break;
    default:
  }
  // Said before it is written: the next delivery may come before this line goes on.
  delivery.outcome = 'taken';
  response.writeHead(204).end();
}
