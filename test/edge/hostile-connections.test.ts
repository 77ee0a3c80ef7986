import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { type Endpoint, endpoint } from '../../apps/edge/endpoint.ts';
import { BodyPace } from '../../apps/edge/middleware/body-pace.ts';
import { ConnectionSlots } from '../../apps/edge/middleware/connection-slots.ts';
import { OpenAnswers } from '../../apps/edge/open-answers.ts';
import { startFramework } from '../support/framework.ts';
import { listening } from '../support/listening.ts';
import { until } from '../support/until.ts';

const quick = endpoint({
  method: 'get',
  path: '/quick',
  role: 'public',
  summary: 'Answers at once',
  trafficClass: 2,
  response: z.object({}),
  faults: [],
  async handle() {
    return {};
  },
});
const closed = endpoint({ ...quick, path: '/closed', role: 'miner' } as Endpoint);
const changing = endpoint({ ...quick, path: '/changing', method: 'post' } as Endpoint);

function held(release: Promise<void>): Endpoint {
  return endpoint({
    ...quick,
    path: '/held',
    trafficClass: 0,
    async handle() {
      await release;
      return {};
    },
  } as Endpoint);
}

/** A client that keeps everything it hears. */
interface Client {
  readonly socket: Socket;
  heard(): string;
  readonly ended: Promise<unknown>;
}

function client(t: ExecutionContext, port: number, from = '127.0.0.1'): Client {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  t.teardown(() => socket.destroy());
  socket.on('error', () => undefined);
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  const ended = new Promise((resolve) => socket.once('close', resolve));
  return { socket, heard: () => text, ended };
}

const ask = 'GET /quick HTTP/1.1\r\nHost: x\r\n\r\n';

async function isServed(t: ExecutionContext, port: number, from?: string): Promise<Client> {
  const one = client(t, port, from);
  one.socket.write(ask);
  await until(() => one.heard().includes('HTTP/1.1 200'));
  return one;
}

async function isTurnedAway(t: ExecutionContext, port: number, from?: string): Promise<void> {
  const one = client(t, port, from);
  await one.ended;
  t.regex(
    one.heard(),
    /^HTTP\/1\.1 503 [\s\S]*\r\nRetry-After: \d[\s\S]*\{"detail":"Too many conn/,
  );
}

test('an address has so many connections, others none the less, and gets its places back', async (t) => {
  await using edge = await startFramework([quick], { limits: { connectionsPerAddressMax: 3 } });
  const mine = await Promise.all([1, 2, 3].map(() => isServed(t, edge.port)));
  await isTurnedAway(t, edge.port);
  t.deepEqual(edge.counted, [{ name: 'paddock.edge.shed', lane: 'connection' }]);
  await isServed(t, edge.port, '127.0.0.2');
  // Who is in stays in.
  mine[0]?.socket.write(ask);
  await until(() => mine[0]?.heard().split('HTTP/1.1 200').length === 3);
  mine[1]?.socket.destroy();
  await mine[1]?.ended;
  await until(async () => {
    const again = client(t, edge.port);
    again.socket.write(ask);
    await Promise.race([again.ended, once(again.socket, 'data')]);
    return again.heard().startsWith('HTTP/1.1 200');
  });
});

test('a process has so many connections in all, those of trusted proxies among them', async (t) => {
  const limits = { connectionsMax: 4, connectionsPerAddressMax: 1 };
  await using edge = await startFramework([quick], { limits, trustedProxies: ['127.0.0.9'] });
  await isServed(t, edge.port, '127.0.0.1');
  await isTurnedAway(t, edge.port, '127.0.0.1');
  // A proxy speaks for many.
  for (let count = 0; count < 3; count++) await isServed(t, edge.port, '127.0.0.9');
  await isTurnedAway(t, edge.port, '127.0.0.9');
  await isTurnedAway(t, edge.port, '127.0.0.2');
});

test('connections are counted and nothing else is kept of them', (t) => {
  const slots = new ConnectionSlots({ max: 3, perBlockMax: 2 });
  t.deepEqual(
    ['a', 'a', 'a', 'b', 'c', undefined].map((block) => slots.enter(block)),
    [undefined, undefined, 'block', undefined, 'all', 'all'],
  );
  for (const block of ['a', 'a', 'b']) slots.leave(block);
  t.deepEqual([slots.open, slots.blocks], [0, 0]);
});

test('headers that drip end in 408, and a silent connection ends', async (t) => {
  await using edge = await startFramework([quick], { limits: { headerMs: 300 } });
  const dripping = client(t, edge.port);
  dripping.socket.write('GET /quick HTTP/1.1\r\nHost: x\r\n');
  const drip = setInterval(() => dripping.socket.write('X-A: b\r\n'), 50);
  t.teardown(() => clearInterval(drip));
  const limits = { headerMs: 300, unreadMs: 400 };
  await using other = await startFramework([quick], { limits });
  const silent = client(t, other.port);
  await Promise.all([dripping.ended, silent.ended]);
  t.regex(dripping.heard(), /^HTTP\/1\.1 408 [\s\S]*\{"detail":"The request took too long/);
  t.regex(silent.heard(), /^(?:HTTP\/1\.1 408 |$)/, 'whichever time-out came first');
});

test('a connection that asks nothing more ends after its time', async (t) => {
  await using edge = await startFramework([quick], { limits: { idleConnectionMs: 100 } });
  const one = await isServed(t, edge.port);
  await one.ended;
  t.is(one.heard().split('HTTP/1.1').length, 2);
});

/** A bare server around `on`, whose requests come with a socket of ours. */
async function bareServer(
  t: ExecutionContext,
  on: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<number> {
  return (await listening(t, on)).port;
}

test('a body that drips is cut off, one that comes or that we do not take is not', async (t) => {
  let drips = 0;
  const pace = new BodyPace(10, () => (drips += 1));
  const bytes: (() => number)[] = [];
  const port = await bareServer(t, (request) => {
    pace.watch(request, 0);
    const before = request.socket.bytesRead;
    bytes.push(() => request.socket.bytesRead - before);
    if (request.url !== '/unread') request.resume();
  });
  const head = (path: string) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n`;
  const dripping = client(t, port);
  dripping.socket.write(head('/dripping'));
  const coming = client(t, port);
  coming.socket.write(head('/coming'));
  const unread = client(t, port);
  unread.socket.write(`${head('/unread')}some`);
  await until(() => pace.underWay === 3);
  coming.socket.write('x'.repeat(100));
  dripping.socket.write('x'.repeat(99));
  await until(() => bytes.reduce((sum, arrived) => sum + arrived(), 0) === 199);
  pace.endDrips(9_999);
  t.is(pace.underWay, 3);
  pace.endDrips(10_000);
  t.is(pace.underWay, 2);
  await dripping.ended;
  t.is(drips, 1);
  t.false(coming.socket.destroyed || unread.socket.destroyed);
  // The next stretch brings nothing.
  pace.endDrips(20_000);
  await coming.ended;
  t.is(pace.underWay, 1);
  unread.socket.destroy();
  await until(() => {
    pace.endDrips(20_001);
    return pace.underWay === 0;
  });
});

test('requests that pile up on one connection are answered in order, up to a bound', async (t) => {
  const release = Promise.withResolvers<void>();
  await using edge = await startFramework([held(release.promise), quick]);
  const one = client(t, edge.port);
  one.socket.write('GET /held HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(500));
  await edge.until(() => edge.inFlight() >= 32);
  await isServed(t, edge.port);
  t.is(edge.inFlight(), 32);
  release.resolve();
  await one.ended;
  const statuses = one.heard().match(/HTTP\/1\.1 \d+/g) ?? [];
  t.deepEqual(statuses, [...Array(32).fill('HTTP/1.1 200'), 'HTTP/1.1 503']);
  t.deepEqual(edge.counted[0], { name: 'paddock.edge.shed', lane: 'pipeline' });
  await edge.until(() => edge.inFlight() === 0);
});

test('what is no request does not speak before what was asked', async (t) => {
  const release = Promise.withResolvers<void>();
  await using edge = await startFramework([held(release.promise)]);
  const one = client(t, edge.port);
  one.socket.write('GET /held HTTP/1.1\r\nHost: x\r\n\r\nno request at all\r\n\r\n');
  await edge.until(() => edge.inFlight() === 1);
  await edge.request('GET', '/nowhere');
  t.is(one.heard(), '');
  release.resolve();
  await one.ended;
  t.deepEqual(one.heard().match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200']);
});

test('answers whose turn never came are forgotten with their connection', async (t) => {
  const open = new OpenAnswers();
  const port = await bareServer(t, (_request, response) => void open.add(response));
  const one = client(t, port);
  one.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(5));
  await until(() => [...open].length === 5);
  one.socket.destroy();
  await until(() => [...open].length === 0);
  t.pass();
});

test('pages of other sites see nothing unless their origin is listed, and then only public reads', async (t) => {
  const origin = 'https://board.example';
  await using edge = await startFramework([quick, closed, changing], { corsOrigins: [origin] });
  const allowed = (answer: Response) => answer.headers.get('access-control-allow-origin');
  const shown = await edge.get('/quick', { origin });
  t.is(allowed(shown), origin);
  t.is(shown.headers.get('vary'), 'Origin');
  t.is(shown.headers.get('access-control-allow-credentials'), null);
  for (const other of [
    'https://board.example.evil',
    'http://board.example',
    'null',
    `${origin}/`,
  ]) {
    const answer = await edge.get('/quick', { origin: other });
    t.is(allowed(answer), null, other);
    t.is(answer.headers.get('vary'), 'Origin', 'no cache mixes them up');
  }
  for (const path of ['/closed', '/nowhere']) t.is(allowed(await edge.get(path, { origin })), null);
  const preflight = (path: string, method: string, from = origin) =>
    edge.request('OPTIONS', path, {
      headers: { origin: from, 'access-control-request-method': method },
    });
  const asked = await preflight('/quick', 'GET');
  t.is(asked.status, 204);
  t.is(asked.headers.get('access-control-allow-methods'), 'GET, HEAD');
  t.is(asked.headers.get('access-control-allow-headers')?.includes('uthorization'), false);
  for (const refused of [
    preflight('/quick', 'POST'),
    preflight('/quick', 'GET', 'https://evil.example'),
    preflight('/closed', 'GET'),
    preflight('/changing', 'POST'),
    edge.request('OPTIONS', '/quick', { headers: { origin } }),
  ]) {
    const answer = await refused;
    t.is(answer.status, 405);
    t.is(answer.headers.get('access-control-allow-methods'), null);
  }
});

test('TLS is promised to who spoke it with a trusted proxy, and to nobody else', async (t) => {
  const promised = async (port: number, proto: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/quick`, {
      headers: { 'x-forwarded-proto': proto },
    });
    return answer.headers.get('strict-transport-security') !== null;
  };
  await using stranger = await startFramework([quick]);
  t.false(await promised(stranger.port, 'https'));
  await using behind = await startFramework([quick], { trustedProxies: ['127.0.0.1'] });
  t.true(await promised(behind.port, 'https'));
  t.false(await promised(behind.port, 'http'));
  t.false(await promised(behind.port, 'https, http'), 'the last word is the proxy’s');
});
