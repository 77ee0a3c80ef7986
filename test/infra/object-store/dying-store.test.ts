import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { createS3Store } from '../../../infra/object-store/s3-store.ts';
import { StorageUnavailable } from '../../../infra/object-store/storage-unavailable.ts';
import { credentials } from './store-under-test.ts';

// Stores that fail in ways that no healthy one can be asked for: real sockets, bad manners.

interface Listening {
  listen(port: number, host: string, done: () => void): unknown;
  address(): unknown;
}

async function storeAt(server: Listening) {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as { port: number };
  return createS3Store({ endpoint: `http://127.0.0.1:${port}`, bucket: 'paddock', ...credentials });
}

test('a store that dies in the middle of an object is unavailable', async (t) => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('only the beginning', () => response.destroy());
  });
  t.teardown(() => server.close());
  const store = await storeAt(server);
  await t.throwsAsync(store.get('key'), { instanceOf: StorageUnavailable });
  const stream = await store.getStream('key');
  t.truthy(stream);
  if (stream !== undefined) {
    await t.throwsAsync(buffer(stream), { instanceOf: StorageUnavailable });
  }
});

test('a store that answers with errors is asked a few times, then unavailable', async (t) => {
  let requests = 0;
  const server = createServer((message, response) => {
    requests += 1;
    message.resume();
    response.writeHead(503).end();
  });
  t.teardown(() => server.close());
  const store = await storeAt(server);
  await t.throwsAsync(store.size('key'), { instanceOf: StorageUnavailable });
  t.is(requests, 3);
  await t.throwsAsync(store.probe(), { instanceOf: StorageUnavailable });
  t.is(requests, 4);
});

test('a store that comes back within the attempts is not noticed', async (t) => {
  let requests = 0;
  const server = createServer((message, response) => {
    requests += 1;
    message.resume();
    message.on('end', () => response.writeHead(requests < 3 ? 503 : 200).end());
  });
  t.teardown(() => server.close());
  const store = await storeAt(server);
  const sha256 = '0'.repeat(64);
  t.true(await store.putFileOnce('key', import.meta.filename, { contentType: 'text/x', sha256 }));
  t.is(requests, 3);
});

test('a store that never answers is unavailable in time', async (t) => {
  const server = createTcpServer((socket) => {
    t.teardown(() => socket.destroy());
  });
  t.teardown(() => server.close());
  const store = await storeAt(server);
  const startedMs = Date.now();
  await t.throwsAsync(store.probe(), { instanceOf: StorageUnavailable });
  t.true(Date.now() - startedMs < 5_900);
});
