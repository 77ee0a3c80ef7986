import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { z } from 'zod';
import { endpoint } from '../../apps/edge/endpoint.ts';
import { StreamedAnswer } from '../../apps/edge/streamed-answer.ts';
import { startFramework } from '../support/framework.ts';
import { until } from '../support/until.ts';

const unreadMs = 200;

interface Chunks {
  taken: number;
  isOver: boolean;
}

function streaming(chunks: Chunks, next: () => Promise<string | undefined>) {
  async function* all() {
    try {
      for (let chunk = await next(); chunk !== undefined; chunk = await next()) {
        chunks.taken += 1;
        yield chunk;
      }
    } finally {
      chunks.isOver = true;
    }
  }
  return endpoint({
    method: 'get',
    path: '/stream',
    role: 'public',
    summary: 'Streams',
    trafficClass: 2,
    response: z.string(),
    responseMediaType: 'text/plain',
    faults: [],
    async handle() {
      return new StreamedAnswer({ headers: { 'Content-Type': 'text/plain' }, chunks: all() });
    },
  });
}

async function open(port: number) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write('GET /stream HTTP/1.1\r\nHost: x\r\n\r\n');
  return socket;
}

test('a stream that is quiet for long is not cut off, and holds no place among requests', async (t) => {
  const chunks = { taken: 0, isOver: false };
  const words = ['one', 'two', 'three'];
  const next = async () => {
    await sleep(chunks.taken === 0 ? 0 : 4 * unreadMs);
    return words[chunks.taken];
  };
  await using edge = await startFramework([streaming(chunks, next)], { limits: { unreadMs } });
  const socket = await open(edge.port);
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await until(() => text.includes('one'));
  t.is(edge.inFlight(), 0);
  await until(() => text.includes('three'));
  t.regex(text, /one[\s\S]*two[\s\S]*three/);
  socket.destroy();
});

test('a stream that nobody reads is cut off, and until then only little of it is made', async (t) => {
  const chunks = { taken: 0, isOver: false };
  const long = 'x'.repeat(100_000);
  await using edge = await startFramework([streaming(chunks, async () => long)], {
    limits: { unreadMs },
  });
  const socket = await open(edge.port);
  socket.pause();
  await until(() => chunks.isOver);
  // What the system's own buffers took, and no more.
  t.true(chunks.taken < 200, `${chunks.taken} chunks`);
  t.deepEqual(edge.reported, []);
  socket.destroy();
});

test('whoever goes ends the making of the stream', async (t) => {
  const chunks = { taken: 0, isOver: false };
  const next = async () => {
    await sleep(5);
    return 'word';
  };
  await using edge = await startFramework([streaming(chunks, next)]);
  const socket = await open(edge.port);
  await until(() => chunks.taken > 2);
  socket.destroy();
  await until(() => chunks.isOver);
  t.deepEqual(edge.reported, []);
});

test('a stream that an edge opens when it already stops ends at once', async (t) => {
  const opened = Promise.withResolvers<void>();
  const stopping = new AbortController();
  const isAsked = Promise.withResolvers<void>();
  const resumable = endpoint({
    method: 'get',
    path: '/stream',
    role: 'public',
    summary: 'Streams without end',
    trafficClass: 2,
    response: z.string(),
    responseMediaType: 'text/plain',
    faults: [],
    async handle({ context }) {
      isAsked.resolve();
      await opened.promise;
      const { signal } = context;
      async function* quiet() {
        yield 'begun';
        await new Promise((gone) => signal.addEventListener('abort', gone, { once: true }));
      }
      const headers = { 'Content-Type': 'text/plain' };
      return new StreamedAnswer({ headers, chunks: quiet(), isResumable: true });
    },
  });
  await using edge = await startFramework([resumable], { stopping: stopping.signal });
  const answer = edge.get('/stream').then(async (each) => [each.status, await each.text()]);
  await isAsked.promise;
  stopping.abort();
  opened.resolve();
  const late = sleep(60_000, 'it goes on', { ref: false });
  t.deepEqual(await Promise.race([answer, late]), [200, '']);
});
