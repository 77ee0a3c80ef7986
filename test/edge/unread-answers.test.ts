import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { z } from 'zod';
import { endpoint } from '../../apps/edge/endpoint.ts';
import { startFramework } from '../support/framework.ts';

const unreadMs = 200;

interface Long {
  readonly characters: number;
  readonly afterMs: number;
  readonly onGone?: () => void;
}

function answering(path: string, { characters, afterMs, onGone = () => undefined }: Long) {
  return endpoint({
    method: 'get',
    path,
    role: 'public',
    summary: 'Answers something long',
    trafficClass: 2,
    response: z.object({ text: z.string() }),
    faults: [],
    async handle({ context }) {
      context.signal.addEventListener('abort', onGone);
      await sleep(afterMs);
      return { text: 'x'.repeat(characters) };
    },
  });
}

test('an answer that nobody reads is given up', async (t) => {
  const long = 64_000_000;
  const isGivenUp = Promise.withResolvers<void>();
  await using edge = await startFramework(
    [answering('/long', { characters: long, afterMs: 0, onGone: isGivenUp.resolve })],
    { limits: { unreadMs } },
  );
  const socket = connect(edge.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  socket.write('GET /long HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await isGivenUp.promise;
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  socket.resume();
  await once(socket, 'close');
  t.true(bytes < long, `${bytes} bytes came`);
});

test('an answer that takes longer to make than to give up on is still sent', async (t) => {
  const slow = answering('/slow', { characters: 10, afterMs: 3 * unreadMs });
  await using edge = await startFramework([slow], { limits: { unreadMs } });
  const socket = connect(edge.port, '127.0.0.1');
  socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  t.regex(chunk.toString(), /^HTTP\/1\.1 200 /);
  socket.destroy();
});
