import { once } from 'node:events';
import { connect } from 'node:net';
import test from 'ava';
import { z } from 'zod';
import { endpoint } from '../../../apps/edge/endpoint.ts';
import { PreparedAnswer } from '../../../apps/edge/prepared-answer.ts';
import { liveRead } from '../../../apps/edge/public-reads/send-representation.ts';
import { startFramework } from '../../support/framework.ts';
import { until } from '../../support/until.ts';

const sizeBytes = 64 * 1024 * 1024;
const fourDocuments = 4;

const document = endpoint({
  ...{ method: 'get', role: 'public', summary: 'Reads', trafficClass: 2 },
  path: '/document',
  cache: liveRead,
  response: z.unknown(),
  faults: ['OVERLOADED'],
  // As one that is read from the store: its own bytes each time.
  handle: async () => new PreparedAnswer({ body: Buffer.alloc(sizeBytes, ' ') }),
});

// A reader takes a little now and then, and his connection is never idle; an edge that kept a document of
// 64 MiB for each of them would be out of memory within a minute.
test('what slow readers hold is bounded, and free again when they leave', async (t) => {
  const edge = await startFramework([document]);
  t.teardown(() => edge.drain());
  const ask = async () => {
    const socket = connect(edge.port, '127.0.0.1');
    t.teardown(() => socket.destroy());
    socket.write('GET /document HTTP/1.1\r\nhost: here\r\n\r\n');
    const [first] = (await once(socket, 'data')) as [Buffer];
    socket.pause();
    return { socket, status: first.toString('latin1', 9, 12) };
  };

  const readers = [];
  for (let reader = 0; reader < fourDocuments; reader += 1) readers.push(await ask());
  t.deepEqual(
    readers.map(({ status }) => status),
    ['200', '200', '200', '200'],
  );
  t.is((await ask()).status, '503');

  for (const { socket } of readers) socket.destroy();
  await until(async () => (await ask()).status === '200');
});
