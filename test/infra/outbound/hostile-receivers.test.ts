import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { callNode } from '../../../infra/chain/json-rpc.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { createProviders } from '../../../infra/inference/providers.ts';
import { createGuardedPost } from '../../../infra/outbound/guarded-post.ts';
import { ChainUnavailable } from '../../../infra/ports/chain.ts';
import { ProviderUnavailable, providerIds } from '../../../infra/ports/inference.ts';

// Everybody whom the service calls may turn hostile: whatever they send, the call ends in time, reads
// no more than it may and leads nowhere else.

const timeoutMs = 400;
/** A call that hangs is told from a slow machine by this. */
const patienceMs = 15_000;
/** What kernels hold for a connection comes on top of the 8 MiB that may be read. */
const sentBytesMax = 40 * 1024 * 1024;

/**
 * `fetch` drops a status line as it reads it, and only its time ends that: how many bytes come until then
 * says how fast this machine is.
 */
const isDropped = (what: string) => what === 'a status line without end';

/** Says the same again until the other side has had enough. */
async function flood(socket: Socket, chunk: Buffer | string, everyMs = 0): Promise<void> {
  while (!socket.destroyed) {
    if (!socket.write(chunk)) {
      await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined);
    }
    if (everyMs > 0) await systemClock.sleep(everyMs);
    else await new Promise((resolve) => setImmediate(resolve));
  }
}

const json = 'Content-Type: application/json';
const head = (status: string, ...headers: string[]) =>
  `HTTP/1.1 ${[status, ...headers].join('\r\n')}\r\n\r\n`;
/** 64 MiB of a JSON text in 64 KiB. */
const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '), { level: 9 });

type Behave = (socket: Socket, elsewhere: string) => Promise<void> | void;

const behaviours: Readonly<Record<string, Behave>> = {
  'a body without end': async (socket) => {
    socket.write(head('200 OK', json));
    await flood(socket, Buffer.alloc(65_536, ' '));
  },
  'chunks without end': async (socket) => {
    socket.write(head('200 OK', json, 'Transfer-Encoding: chunked'));
    await flood(socket, `10000\r\n${' '.repeat(65_536)}\r\n`);
  },
  'a body that drips': async (socket) => {
    socket.write(head('200 OK', json));
    await flood(socket, ' ', 20);
  },
  'headers without end': async (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    await flood(socket, `x-more: ${'a'.repeat(1000)}\r\n`);
  },
  'headers that drip': async (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    await flood(socket, 'x: y\r\n', 20);
  },
  'a status line without end': async (socket) => {
    socket.write('HTTP/1.1 200 ');
    await flood(socket, 'OK'.repeat(1000));
  },
  'hints without end': (socket) => flood(socket, head('103 Early Hints', 'Link: <x>'), 1),
  'HTTP/0.9': (socket) => void socket.end('{"data": []}'),
  'another protocol': (socket) =>
    void socket.write(head('101 Switching', 'Connection: upgrade', 'Upgrade: websocket')),
  'a status that is none': (socket) => void socket.end(head('999999 Odd', 'Content-Length: 0')),
  'two lengths': (socket) =>
    void socket.end(`${head('200 OK', 'Content-Length: 2', 'Content-Length: 1')}{}`),
  'a bomb that nobody asked to be packed': async (socket) => {
    const length = `Content-Length: ${bomb.length}`;
    socket.write(head('200 OK', json, 'Content-Encoding: gzip', length));
    socket.write(bomb);
  },
  ...Object.fromEntries(
    ['301 Moved', '302 Found', '303 See Other', '307 Temporary', '308 Permanent'].flatMap(
      (status) => [
        [
          `a redirect by ${status} to another server`,
          (socket: Socket, elsewhere: string) =>
            void socket.write(head(status, `Location: ${elsewhere}`, 'Content-Length: 0')),
        ],
      ],
    ),
  ),
  ...Object.fromEntries(
    [
      'http://169.254.169.254/',
      'http://[::1]:1/',
      'http://2130706433/',
      'http://[::ffff:7f00:1]/',
    ].map((location) => [
      `a redirect to ${location}`,
      (socket: Socket) =>
        void socket.write(head('307 Go', `Location: ${location}`, 'Content-Length: 0')),
    ]),
  ),
};

async function receiver(t: ExecutionContext, behave: Behave) {
  const sockets = new Set<Socket>();
  let reached = 0;
  const listen = async (take: (socket: Socket) => void) => {
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      take(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.teardown(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const elsewhere = await listen((socket) => {
    reached += 1;
    socket.destroy();
  });
  const url = await listen((socket) => {
    socket.once('data', () => void behave(socket, elsewhere));
  });
  const sentBytes = () => Math.max(...[...sockets].map((socket) => socket.bytesWritten));
  return { url, reached: () => reached, sentBytes };
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  const done = new AbortController();
  const late = systemClock.sleep(patienceMs, done.signal).then(() => {
    if (!done.signal.aborted) throw new Error('it hung');
    return work;
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
  }
}

for (const [what, behave] of Object.entries(behaviours)) {
  test(`a provider that sends ${what} is away, and nothing else`, async (t) => {
    const { url, reached, sentBytes } = await receiver(t, behave);
    const urls = { provideraUrl: url, providerbUrl: url };
    const providers = createProviders({ ...urls, clock: systemClock, timeoutMs });
    const unavailable = { instanceOf: ProviderUnavailable };
    const terms = { evalRunId: 'x', expiresAtMs: Date.now() + 60_000, spendLimit: 1 };
    for (const id of providerIds) {
      const provider = providers.get(id);
      if (provider === undefined) throw new Error('no provider');
      await t.throwsAsync(inTime(provider.mint('demo-one', terms)), unavailable);
      await t.throwsAsync(inTime(provider.servedModels()), unavailable);
    }
    t.is(reached(), 0);
    t.true(sentBytes() < sentBytesMax || isDropped(what), `${sentBytes()}`);
  });

  test(`a chain node that sends ${what} is unavailable`, async (t) => {
    const { url, reached, sentBytes } = await receiver(t, behave);
    const node = { url, timeoutMs, clock: systemClock };
    const asked = callNode(node, [{ method: 'chain_getHeader', params: [] }]);
    await t.throwsAsync(inTime(asked), { instanceOf: ChainUnavailable });
    t.is(reached(), 0);
    t.true(sentBytes() < sentBytesMax || isDropped(what), `${sentBytes()}`);
  });

  test(`a webhook that sends ${what} costs one attempt`, async (t) => {
    const { url, reached, sentBytes } = await receiver(t, behave);
    const outbound = createGuardedPost({ privateHosts: ['127.0.0.1'], clock: systemClock });
    const { signal } = new AbortController();
    const message = { url, headers: {}, body: 'news', timeoutMs, signal };
    const outcome = await inTime(outbound.post(message));
    t.true(outcome.kind === 'failed' || outcome.status < 400);
    t.is(reached(), 0);
    t.true(sentBytes() < sentBytesMax);
  });
}
