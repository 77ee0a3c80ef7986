import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import { z } from 'zod';
import { endpoint } from '../../apps/edge/endpoint.ts';
import { StrangersQueue } from '../../apps/edge/middleware/strangers-queue.ts';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { startFramework } from '../support/framework.ts';

const read = endpoint({
  method: 'get',
  path: '/read',
  role: 'public',
  summary: 'Says something',
  trafficClass: 2,
  response: z.object({ said: z.boolean() }),
  faults: [],
  async handle() {
    burn(1);
    return { said: true };
  },
});
const health = endpoint({
  method: 'get',
  path: '/health/deep',
  role: 'public',
  summary: 'Tells of us',
  trafficClass: 2,
  isUnlimited: true,
  response: z.object({ said: z.boolean() }),
  faults: [],
  async handle() {
    await answering;
    return { said: true };
  },
});
let answering = Promise.resolve();
const work = endpoint({
  method: 'post',
  path: '/work',
  role: 'validator',
  summary: 'Keeps something',
  trafficClass: 0,
  response: z.object({ said: z.boolean() }),
  faults: [],
  handle: async () => ({ said: true }),
});
const endpoints = [read, health, work];

/** As many requests as a socket brought, answered one after the other. */
const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`;
const post =
  'POST /work HTTP/1.1\r\nhost: a\r\nauthorization: Bearer x\r\ncontent-length: 0\r\n\r\n';

interface Client {
  readonly socket: Socket;
  readonly heard: () => string;
}

async function client(port: number): Promise<Client> {
  const socket = connect(port, '127.0.0.1');
  let heard = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    heard += text;
  });
  await once(socket, 'connect');
  return { socket, heard: () => heard };
}

const statusesOf = (heard: string) =>
  heard.match(/HTTP\/1\.1 \d+/g)?.map((it) => it.slice(9)) ?? [];

function burn(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

/** Holds up the event loop in each of its turns, until told to stop. */
function busy(): () => void {
  let isOver = false;
  const turn = () => {
    burn(6);
    if (!isOver) setImmediate(turn);
  };
  turn();
  return () => {
    isOver = true;
  };
}

test('a crowd of reads is refused before it is begun, on connections that stay, and work is not', async (t) => {
  await using edge = await startFramework(endpoints);
  const readers = await Promise.all(Array.from({ length: 100 }, () => client(edge.port)));
  const [validator, watcher] = [await client(edge.port), await client(edge.port)];
  const asked = new Map(readers.map((each) => [each, 0]));
  let shed: readonly Client[] = [];
  const stop = busy();
  try {
    // Each asks again when it was answered, so that some wait at any time.
    for (let turn = 0; turn < 400 && shed.length < 5; turn += 1) {
      for (const each of readers) {
        if (statusesOf(each.heard()).length < (asked.get(each) ?? 0)) continue;
        asked.set(each, (asked.get(each) ?? 0) + 1);
        each.socket.write(get('/read'));
      }
      await nextTurn();
      shed = readers.filter((each) => statusesOf(each.heard()).includes('503'));
    }
    t.true(shed.length >= 5, 'reads are refused');
    validator.socket.write(post);
    watcher.socket.write(get('/health/deep'));
    await edge.until(() => statusesOf(validator.heard()).length === 1);
    await edge.until(() => statusesOf(watcher.heard()).length === 1);
    t.deepEqual(statusesOf(validator.heard()), ['200']);
    t.deepEqual(statusesOf(watcher.heard()), ['200']);
    const [one] = shed;
    const answer = /HTTP\/1\.1 503[\s\S]*/.exec(one?.heard() ?? '')?.[0] ?? '';
    t.regex(answer, /\r\nX-Admission: rejected\r\n/);
    t.regex(answer, /\r\nRetry-After: ([1-9]|10)\r\n/);
    t.regex(answer, /\r\nX-Request-Id: [0-9a-f]{32}\r\n/);
    t.regex(answer, /"error_code":"OVERLOADED"/);
    t.notRegex(answer, /\r\nConnection: close\r\n/i);
    const refused = readers
      .flatMap(({ heard }) => statusesOf(heard()))
      .filter((it) => it === '503');
    t.true(edge.counted.length >= refused.length, 'each of them is counted');
    t.deepEqual(edge.counted[0], { name: 'paddock.edge.shed', lane: 'read' });
  } finally {
    stop();
  }
  const isIdle = (each: Client) => statusesOf(each.heard()).length === asked.get(each);
  await edge.until(() => readers.every(isIdle));
  for (const each of shed) each.socket.write(get('/read'));
  await edge.until(() => shed.every((each) => statusesOf(each.heard()).at(-1) === '200'));
  t.pass('who was refused is answered on the same connection when all is normal');
  for (const { socket } of [...readers, validator, watcher]) socket.destroy();
});

test('a flood of what brings a proof turns no health check away', async (t) => {
  const strangers = new StrangersQueue(() => systemClock.monotonicMs());
  let isOver = false;
  // Each makes room for the next one, so that there is none whenever anybody else comes.
  const again = () => {
    if (!isOver) strangers.add('proof', { destroyed: false }, again);
  };
  while (!strangers.isFull('proof')) again();
  await using edge = await startFramework(endpoints, { strangers });
  try {
    t.is(
      (await edge.request('POST', '/work', { headers: { authorization: 'Bearer x' } })).status,
      503,
    );
    t.is((await edge.get('/health/deep')).status, 200);
    t.is((await edge.request('HEAD', '/health/deep')).status, 200);
    t.is((await edge.get('/health/deep?from=proxy')).status, 200);
    t.is((await edge.request('POST', '/health/deep')).status, 503, 'that is no health check');
    t.is((await edge.get('/health/deeper', { authorization: 'Bearer x' })).status, 503);
  } finally {
    isOver = true;
  }
});

test('a flood of health checks waits as others do', async (t) => {
  const strangers = new StrangersQueue(() => systemClock.monotonicMs());
  strangers.add = () => false;
  await using edge = await startFramework(endpoints, { strangers });
  const { promise, resolve } = Promise.withResolvers<void>();
  answering = promise;
  const told: number[] = [];
  const crowd = Array.from({ length: 80 }, async () => {
    told.push((await edge.get('/health/deep')).status);
  });
  await edge.until(() => told.length === 16);
  t.deepEqual(new Set(told), new Set([503]));
  resolve();
  await Promise.all(crowd);

  t.is(told.filter((status) => status === 200).length, 64);
  t.is((await edge.get('/health/deep')).status, 200);
});

test('for who left while he was proved nothing is begun', async (t) => {
  let begun = 0;
  const counted = { ...work, handle: async () => ({ said: begun++ >= 0 }) };
  const proved = Promise.withResolvers<void>();
  await using edge = await startFramework([read, counted], { proving: proved.promise });
  const leaving = await client(edge.port);
  const staying = await client(edge.port);
  for (const { socket } of [leaving, staying]) socket.write(post);
  await edge.until(() => edge.inFlight() === 2);
  leaving.socket.destroy();
  // The end of that connection comes before what others ask after it.
  for (let count = 0; count < 5; count += 1) t.is((await edge.get('/read')).status, 200);
  proved.resolve();
  await edge.until(() => edge.inFlight() === 0);
  await edge.until(() => statusesOf(staying.heard()).length === 1);
  t.is(begun, 1);
  staying.socket.destroy();
});
