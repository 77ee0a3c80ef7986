import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { endpoint } from '../../../apps/edge/endpoint.ts';
import { PreparedAnswer } from '../../../apps/edge/prepared-answer.ts';
import { liveRead } from '../../../apps/edge/public-reads/send-representation.ts';
import { startFramework } from '../../support/framework.ts';
import { until } from '../../support/until.ts';

const mebibyte = 1024 * 1024;

/** Whoever asks anew for bytes of its own, as of documents that are read from the store. */
function documents(bytesOf: () => Uint8Array) {
  return endpoint({
    ...{ method: 'get', role: 'public', summary: 'Reads', trafficClass: 2 },
    ...{ path: '/document/{id}', params: z.object({ id: z.string() }) },
    cache: liveRead,
    response: z.unknown(),
    faults: ['OVERLOADED'],
    handle: async () => new PreparedAnswer({ body: bytesOf(), sha256: 'a'.repeat(64) }),
  });
}

async function startEdge(
  t: ExecutionContext,
  bytesOf: () => Uint8Array,
  options: Parameters<typeof startFramework>[1] = {},
) {
  const edge = await startFramework([documents(bytesOf)], options);
  t.teardown(() => edge.drain());
  let asked = 0;
  const open = (localAddress: string, header = '') => {
    const socket = connect({ port: edge.port, host: '127.0.0.1', localAddress });
    socket.on('error', () => undefined);
    t.teardown(() => socket.destroy());
    asked += 1;
    socket.write(`GET /document/${asked} HTTP/1.1\r\nhost: here\r\n${header}\r\n`);
    return socket;
  };
  const ask = async (localAddress: string, header?: string) => {
    const socket = open(localAddress, header);
    const [first] = (await once(socket, 'data')) as [Buffer];
    socket.pause();
    return { socket, status: first.toString('latin1', 9, 12) };
  };
  return { ...edge, ask, open };
}

// A reader takes a little now and then, and his connection is never idle; an edge that kept a document of
// 64 MiB for each of them would be out of memory within a minute.
test('what slow readers hold is bounded, of each address and of all', async (t) => {
  const { ask } = await startEdge(t, () => Buffer.alloc(64 * mebibyte, ' '));
  const addresses = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4'];

  const readers = [];
  for (const address of addresses) {
    readers.push(await ask(address));
    t.is((await ask(address)).status, '503', 'who has one leaves room for others');
  }
  t.deepEqual(
    readers.map(({ status }) => status),
    ['200', '200', '200', '200'],
  );
  t.is((await ask('127.0.0.5')).status, '503');

  for (const { socket } of readers) socket.destroy();
  await until(async () => (await ask('127.0.0.5')).status === '200');
});

// A byte now and then is enough for a connection never to be idle: four of these kept everybody else out for good.
test('who takes a large answer by drips is cut off, and makes room for others', async (t) => {
  let passedMs = 0;
  const monotonicMs = () => performance.now() + passedMs;
  const minimum = { answerBytesPerSecondMin: 20_000, monotonicMs };
  const edge = await startEdge(t, () => Buffer.alloc(64 * mebibyte, ' '), minimum);
  for (let address = 1; address <= 4; address += 1) await edge.ask(`127.0.0.${address}`);
  t.is((await edge.ask('127.0.0.5')).status, '503');
  t.deepEqual(edge.counted, [{ name: 'paddock.edge.shed', lane: 'large-answer' }]);

  // Time enough for all that the kernels between them take at once, and for no more.
  passedMs = 40 * 60_000;

  await until(async () => (await edge.ask('127.0.0.5')).status === '200');
  const drips = edge.counted.filter((each) => (each as { name: string }).name.endsWith('drips'));
  t.deepEqual(
    drips,
    Array.from({ length: 4 }, () => ({ name: 'paddock.edge.drips', what: 'answer' })),
  );
});

test('what several read together takes room of each of them, and of all once', async (t) => {
  const shared = Buffer.alloc(64 * mebibyte, ' ');
  let isShared = true;
  const edge = await startEdge(t, () => (isShared ? shared : Buffer.alloc(64 * mebibyte, ' ')));
  const [first, second] = [await edge.ask('127.0.0.1'), await edge.ask('127.0.0.2')];
  const again = await edge.ask('127.0.0.1');
  t.deepEqual([first.status, second.status, again.status], ['200', '200', '200']);
  t.is(edge.heldBytes(), 64 * mebibyte);
  isShared = false;
  const reads = async (address: string) => (await edge.ask(address)).status;
  t.deepEqual([await reads('127.0.0.1'), await reads('127.0.0.2')], ['503', '503']);

  first.socket.destroy();
  again.socket.destroy();

  await until(async () => (await reads('127.0.0.1')) === '200');
  t.is(await reads('127.0.0.2'), '503');
  t.is(edge.heldBytes(), 2 * 64 * mebibyte);
});

// He joined what others read, and they left: all the room was his.
test('an address has no more room by what others leave to it', async (t) => {
  const shared = Array.from({ length: 2 }, () => Buffer.alloc(64 * mebibyte, ' '));
  let now = 0;
  const edge = await startEdge(t, () => shared[now] ?? Buffer.alloc(0));

  const first = await edge.ask('127.0.0.1');
  t.is((await edge.ask('127.0.0.9')).status, '200');
  first.socket.destroy();
  now = 1;
  t.is((await edge.ask('127.0.0.2')).status, '200');

  t.is((await edge.ask('127.0.0.9')).status, '503');
});

// It goes on when its reader has left, who could ask for the next one meanwhile: a hundred of these took 5 GB.
test('what is compressed is counted until it is, whoever waits for it', async (t) => {
  const noise = randomBytes(6 * mebibyte).toString('base64');
  const edge = await startEdge(t, () => Buffer.from(noise));
  const compressed = 'accept-encoding: br\r\n';
  const most = 256 * mebibyte;

  let peak = 0;
  const refused: Promise<string>[] = [];
  for (let address = 1; address <= 40; address += 1) {
    refused.push(edge.ask(`127.0.1.${address}`, compressed).then(({ status }) => status));
    if (address <= 10) edge.open(`127.0.2.${address}`, compressed).destroy();
    peak = Math.max(peak, edge.heldBytes());
  }
  const look = setInterval(() => (peak = Math.max(peak, edge.heldBytes())), 1);
  const statuses = await Promise.all(refused);
  clearInterval(look);

  t.true(peak > most / 2 && peak <= most, `${peak} bytes`);
  t.true(statuses.includes('200'));
  t.true(statuses.includes('503'));
  await edge.until(() => edge.inFlight() === 0);
  const honest = edge.open('127.0.3.1', compressed);
  await once(honest, 'data');
});

test('a document as large as documents may be is served to an address that reads nothing else', async (t) => {
  const bytesOf = () => Buffer.alloc(70 * mebibyte, ' ');
  const { ask } = await startEdge(t, bytesOf, { largestBytes: 70 * mebibyte });

  t.is((await ask('127.0.0.1')).status, '200');
  t.is((await ask('127.0.0.1')).status, '503');
});

async function heldNow(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let turn = 0; turn < 5; turn += 1) {
    await new Promise(setImmediate);
    collect();
  }
  return process.memoryUsage().arrayBuffers;
}

// What is counted of a compressed answer is what is held: its content may be a hundred times as large.
test.serial('who reads a compressed answer slowly holds nothing of its content', async (t) => {
  const noise = Buffer.from(randomBytes(5 * mebibyte).toString('base64'));
  const edge = await startEdge(t, () => Buffer.concat([noise], 19 * mebibyte));
  const before = await heldNow();

  for (let reader = 1; reader <= 5; reader += 1) {
    t.is((await edge.ask(`127.0.0.${reader}`, 'accept-encoding: br\r\n')).status, '200');
  }

  t.true(edge.heldBytes() > 20 * mebibyte, 'all five are under way');
  t.true((await heldNow()) - before < 50 * mebibyte);
});

// Its content is counted, and the forms that others asked for are not: they go when nobody reads them any more.
test.serial('who reads an answer slowly holds no compressed form of it', async (t) => {
  const noise = Buffer.from(randomBytes(9 * mebibyte).toString('base64'));
  const edge = await startEdge(t, () => noise);
  t.is((await edge.ask('127.0.0.1')).status, '200');
  const before = await heldNow();

  for (const coding of ['br', 'gzip']) {
    const whole = await edge.get('/document/shared', { 'accept-encoding': coding });
    t.is(whole.headers.get('content-encoding'), coding);
    t.is((await whole.arrayBuffer()).byteLength, noise.length);
  }

  await until(() => edge.heldBytes() === noise.length);
  t.true((await heldNow()) - before < 4 * mebibyte);
});
