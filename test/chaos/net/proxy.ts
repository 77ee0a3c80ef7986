import { once } from 'node:events';
import { connect as connectTcp, createServer, type Server, type Socket } from 'node:net';

/** Towards the server, or back to the client. */
export type Direction = 'up' | 'down';

/**
 * A TCP proxy that can be told to misbehave as networks do.
 *
 * 1. What it holds back it delivers later, in order, as lost packets are sent again.
 * 2. A reset is a reset for both sides; an orderly end stays an orderly end.
 * 3. A stranded connection is dead, and its client hears nothing of it.
 */
export interface TcpProxy {
  readonly port: number;
  /** Every piece waits so long, in both directions. */
  delay(ms: number): void;
  /** In each direction. */
  throttle(bytesPerSecond: number): void;
  /** Nothing passes that way any more; ends of connections neither. */
  hold(direction: Direction): void;
  /** Resets every connection that is open. */
  cut(): void;
  /** New connections are reset. */
  refuse(): void;
  /** Leaves every open connection half-open: the server loses it, and its client is not told. */
  strand(): void;
  /** Ends all misbehaviour; what was stranded stays dead. */
  clear(): void;
  openCount(): number;
  stop(): Promise<void>;
}

interface Link {
  readonly client: Socket;
  readonly server: Socket;
  isStranded: boolean;
}

/** `targetPort` is asked at every connection: a server may come back elsewhere. */
export async function startProxy(targetPort: () => number): Promise<TcpProxy> {
  const links = new Set<Link>();
  const weather = new Weather();
  let isRefusing = false;

  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    if (isRefusing) return reset(client);
    const server = connectTcp({
      port: targetPort(),
      host: '127.0.0.1',
      allowHalfOpen: true,
      noDelay: true,
    });
    const link: Link = { client, server, isStranded: false };
    links.add(link);
    void carry(link, weather).finally(() => links.delete(link));
  });
  const port = await listen(listener);
  return {
    port,
    delay: (ms) => weather.change({ delayMs: ms }),
    throttle: (bytesPerSecond) => weather.change({ bytesPerSecond }),
    hold: (direction) => weather.change({ held: weather.now.held.union(new Set([direction])) }),
    cut() {
      for (const { client, server } of links) {
        reset(client);
        reset(server);
      }
    },
    refuse() {
      isRefusing = true;
    },
    strand() {
      for (const link of links) {
        link.isStranded = true;
        reset(link.server);
      }
    },
    clear() {
      isRefusing = false;
      weather.change(fair);
    },
    openCount: () => links.size,
    async stop() {
      const closed = once(listener, 'close');
      listener.close();
      for (const { client, server } of links) {
        client.destroy();
        server.destroy();
      }
      weather.change(fair);
      await closed;
    },
  };
}

interface State {
  readonly delayMs: number;
  readonly bytesPerSecond: number;
  readonly held: ReadonlySet<Direction>;
}

const fair: State = { delayMs: 0, bytesPerSecond: Number.POSITIVE_INFINITY, held: new Set() };

class Weather {
  now: State = fair;
  #changed = Promise.withResolvers<void>();

  change(to: Partial<State>): void {
    this.now = { ...this.now, ...to };
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
  }

  async untilPassable(direction: Direction): Promise<void> {
    while (this.now.held.has(direction)) await this.#changed.promise;
  }

  /** What a piece of so many bytes takes on the way. */
  async travel(sizeBytes: number): Promise<void> {
    const { delayMs, bytesPerSecond } = this.now;
    const ms = delayMs + (sizeBytes / bytesPerSecond) * 1000;
    if (ms <= 0) return;
    // The end of bad weather ends the waiting too: a slow line must not outlive its fault.
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    await Promise.race([promise, this.#changed.promise]);
    clearTimeout(timer);
  }
}

async function carry(link: Link, weather: Weather): Promise<void> {
  await Promise.all([pump(link, 'up', weather), pump(link, 'down', weather)]);
  // Else both ends have come, and what is still to be written is.
  if (link.isStranded) link.client.destroy();
}

/** One direction of one connection, piece by piece, with the receiver's back-pressure. */
async function pump(link: Link, direction: Direction, weather: Weather): Promise<void> {
  const [from, to] = direction === 'up' ? [link.client, link.server] : [link.server, link.client];
  to.on('error', () => undefined);
  try {
    // By default the end of one direction would destroy the other as well.
    for await (const piece of from.iterator({ destroyOnReturn: false })) {
      await weather.travel((piece as Buffer).length);
      await weather.untilPassable(direction);
      if (link.isStranded) continue;
      if (!to.destroyed && !to.write(piece as Buffer)) await untilWritable(to);
    }
    await weather.untilPassable(direction);
    if (!link.isStranded) to.end();
  } catch {
    await weather.untilPassable(direction);
    // The other side of a stranded connection must not learn that it is dead.
    if (!(link.isStranded && direction === 'down')) reset(to);
  }
}

async function untilWritable(socket: Socket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.once('drain', resolve).once('close', resolve);
  await promise;
  socket.off('drain', resolve).off('close', resolve);
}

function reset(socket: Socket): void {
  socket.on('error', () => undefined);
  if (!socket.destroyed) socket.resetAndDestroy();
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP port');
  return address.port;
}
