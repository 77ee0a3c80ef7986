import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { createS3MarkCopy } from '../../../infra/object-store/s3-mark-copy.ts';
import { createS3Store } from '../../../infra/object-store/s3-store.ts';
import { StorageUnavailable } from '../../../infra/object-store/storage-unavailable.ts';
import type { Mark } from '../../../infra/ports/history.ts';
import { credentials } from './store-under-test.ts';

// Stores that begin to answer and then say nothing more, on a connection that stays open.

/** The client begins to watch a shorter silence at once, and one from here on, as in production, later. */
const silenceMs = 6_000;
const laterMs = 3_000;

/** Sends the headers of an object of a hundred bytes; `rest` sends what it likes of them. */
async function optionsOf(t: ExecutionContext, rest: (response: ServerResponse) => void) {
  const server = createServer((message, response) => {
    message.resume();
    response.writeHead(200, { 'content-length': '100' });
    rest(response);
  });
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as { port: number };
  const endpoint = `http://127.0.0.1:${port}`;
  return { endpoint, bucket: 'paddock', silenceMs, ...credentials };
}

const tenBytes = (response: ServerResponse) => void response.write('0123456789');

test('a store that falls silent in the middle of an object is unavailable, whoever reads', async (t) => {
  const store = createS3Store(await optionsOf(t, tenBytes));
  const scratch = await mkdtemp(join(tmpdir(), 'paddock-silent-'));
  t.teardown(() => rm(scratch, { recursive: true, force: true }));
  const startedMs = Date.now();
  const streamed = async () => {
    const stream = await store.getStream('key');
    return stream === undefined ? undefined : await buffer(stream);
  };

  const unavailable = { instanceOf: StorageUnavailable };
  await Promise.all([
    t.throwsAsync(store.get('key'), unavailable),
    t.throwsAsync(streamed(), unavailable),
    t.throwsAsync(store.copyOnce('key', 'copy', scratch), unavailable),
  ]);
  const tookMs = Date.now() - startedMs;
  // A silence that nobody chose would be endured for half a minute.
  t.true(tookMs < 30_000, `${tookMs} ms`);
});

test('a store that is slow and goes on is waited for', async (t) => {
  const pauseMs = (silenceMs + laterMs + 1_000) / 10;
  const slowly = async (response: ServerResponse) => {
    for (let piece = 0; piece < 10; piece += 1) {
      await systemClock.sleep(pauseMs);
      tenBytes(response);
    }
  };
  const store = createS3Store(await optionsOf(t, (response) => void slowly(response)));
  const bytes = await store.get('key');
  t.is(bytes?.length, 100);
});

// Whoever looks for a lost history waits for it, and looks no further meanwhile.
test('a mark that does not come to its end is given up as soon as one that is not answered', async (t) => {
  // The silence itself would be noticed later.
  const copy = createS3MarkCopy({ ...(await optionsOf(t, tenBytes)), silenceMs: 120_000 });
  const mark: Mark = { genesis: 'genesis', branch: 0, seq: 1, hash: 'hash', atMs: 0 };
  const startedMs = Date.now();
  await Promise.all([
    t.throwsAsync(copy.read('genesis'), { instanceOf: StorageUnavailable }),
    t.throwsAsync(copy.write(mark), { instanceOf: StorageUnavailable }),
  ]);
  const tookMs = Date.now() - startedMs;
  t.true(tookMs < 60_000, `${tookMs} ms`);
});
