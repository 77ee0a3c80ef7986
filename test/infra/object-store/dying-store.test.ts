import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { requestMs } from '../../../infra/object-store/s3-options.ts';
import { createS3Store } from '../../../infra/object-store/s3-store.ts';
import { spool } from '../../../infra/object-store/spool.ts';
import {
  FilesRefused,
  StorageUnavailable,
} from '../../../infra/object-store/storage-unavailable.ts';
import { credentials, uploadOf } from './store-under-test.ts';

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

const checksum = { 'x-amz-checksum-sha256': `${'A'.repeat(43)}=` };
const breakings: Record<string, (response: ServerResponse) => void> = {
  'breaks off right after its headers': (response) => {
    response.flushHeaders();
    setImmediate(() => response.destroy());
  },
  'sends other bytes than it kept': (response) => void response.end(Buffer.alloc(100)),
};

// As often as it takes for the object to break before there is a folder for it.
for (const [what, breakOff] of Object.entries(breakings)) {
  test(`an object whose store ${what} is unavailable, and ends nobody`, async (t) => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-length': '100', ...checksum });
      breakOff(response);
    });
    t.teardown(() => server.close());
    const store = await storeAt(server);
    const scratch = await mkdtemp(join(tmpdir(), 'paddock-dying-'));
    t.teardown(() => rm(scratch, { recursive: true, force: true }));
    const spooled = async () => {
      const stream = await store.getStream('key');
      if (stream !== undefined) await spool(stream, scratch);
    };
    for (let time = 0; time < 10; time += 1) {
      await t.throwsAsync(spooled(), { instanceOf: StorageUnavailable });
      await t.throwsAsync(store.copyOnce('key', 'copy', scratch), {
        instanceOf: StorageUnavailable,
      });
    }
  });
}

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

const passing = { 503: '', 400: '<Error><Code>RequestTimeout</Code></Error>' };

for (const [status, said] of Object.entries(passing)) {
  test(`a store that comes back within the attempts is not noticed, as after ${status} ${said}`, async (t) => {
    let requests = 0;
    const server = createServer((message, response) => {
      requests += 1;
      message.resume();
      message.on('end', () => {
        if (requests < 3) response.writeHead(Number(status)).end(said);
        else response.end();
      });
    });
    t.teardown(() => server.close());
    const store = await storeAt(server);
    const sha256 = '0'.repeat(64);
    t.true(await store.putFileOnce('key', import.meta.filename, { contentType: 'text/x', sha256 }));
    t.is(requests, 3);
  });
}

test('a store to which the line is too slow is unavailable', async (t) => {
  const server = createServer((message, response) => {
    message.resume();
    message.on('end', () => response.writeHead(400).end(passing[400]));
  });
  t.teardown(() => server.close());
  const put = (await storeAt(server)).putOnce('key', Buffer.from('file'), uploadOf('file'));
  await t.throwsAsync(put, { instanceOf: StorageUnavailable });
});

test('a store that never answers is unavailable in time', async (t) => {
  let attempts = 0;
  const server = createTcpServer((socket) => {
    attempts += 1;
    t.teardown(() => socket.destroy());
  });
  t.teardown(() => server.close());
  const store = await storeAt(server);
  const startedMs = Date.now();
  await t.throwsAsync(store.probe(), { instanceOf: StorageUnavailable });
  t.is(attempts, 1);
  // An ordinary request is waited for longer.
  t.true(Date.now() - startedMs < requestMs);
});

/** Answers as told what is put, and 200 to everything else; what it was asked, and how large it was. */
async function storeThatPuts(t: ExecutionContext) {
  const asked: string[] = [];
  /** `once`: to what is put where nothing may lie; the same unless told. */
  const put: { status: number; once?: number } = { status: 200 };
  const server = createServer((message, response) => {
    const { method, url, headers } = message;
    const isOnce = headers['if-none-match'] !== undefined;
    const said = `${method} ${url?.split('?')[0]} ${headers['content-length'] ?? '-'}`;
    asked.push(isOnce ? `${said} once` : said);
    const status = isOnce ? (put.once ?? put.status) : put.status;
    message.resume();
    message.on('end', () => response.writeHead(method === 'PUT' ? status : 200).end());
  });
  t.teardown(() => server.close());
  return { store: await storeAt(server), put, asked };
}

for (const status of [403, 500, 507]) {
  test(`a store that answers ${status} to what is put is asked to take something, until it does`, async (t) => {
    const { store, put, asked } = await storeThatPuts(t);
    put.status = status;
    await t.notThrowsAsync(store.probe(), 'nothing was put yet');
    await t.throwsAsync(store.putOnce('key', Buffer.from('file'), uploadOf('file')));
    await t.throwsAsync(store.probe(), { instanceOf: FilesRefused });
    await t.throwsAsync(store.probe(), { instanceOf: FilesRefused });

    put.status = 200;
    asked.length = 0;
    await t.notThrowsAsync(store.probe());
    await t.notThrowsAsync(store.probe());
    const [head, trial] = ['HEAD /paddock/ -', 'PUT /paddock/history/write-trial'];
    t.deepEqual(asked, [head, `${trial} 4`, `${trial} 1 once`, head]);
  });
}

test('a store that takes nothing with a condition takes no files', async (t) => {
  const { store, put, asked } = await storeThatPuts(t);
  const file = [Buffer.from('file'), uploadOf('file')] as const;
  put.once = 501;
  await t.throwsAsync(store.putOnce('key', ...file), { instanceOf: StorageUnavailable });
  const refused = { instanceOf: FilesRefused, message: /If-None-Match: \*/ };
  await t.throwsAsync(store.probe(), refused);
  await store.put('other', ...file);
  await t.throwsAsync(store.probe(), refused, 'a file without one ends no doubt');

  // What lies there is that of the trial itself.
  put.once = 412;
  await t.notThrowsAsync(store.probe());
  asked.length = 0;
  await t.notThrowsAsync(store.probe());
  t.deepEqual(asked, ['HEAD /paddock/ -']);
});

test('what fails in a way of its own says nothing of the condition', async (t) => {
  const { store, put } = await storeThatPuts(t);
  put.once = 503;
  await t.throwsAsync(store.putOnce('key', Buffer.from('file'), uploadOf('file')));
  const { message } = await t.throwsAsync(store.probe(), { instanceOf: FilesRefused });
  t.notRegex(message, /If-None-Match/);
});

test('what was refused without a condition is tried without one', async (t) => {
  const { store, put } = await storeThatPuts(t);
  const file = [Buffer.from('file'), uploadOf('file')] as const;
  Object.assign(put, { status: 500, once: 501 });
  await t.throwsAsync(store.put('key', ...file));
  put.status = 200;
  await t.notThrowsAsync(store.probe());
});

test('a right that is wanting for the trial alone says nothing of the store', async (t) => {
  const { store, put } = await storeThatPuts(t);
  put.status = 500;
  await t.throwsAsync(store.putOnce('key', Buffer.from('file'), uploadOf('file')));
  put.status = 403;
  await t.notThrowsAsync(store.probe());
});

test('a right that was wanting for a file is one that the trial needs too', async (t) => {
  const { store, put } = await storeThatPuts(t);
  for (const status of [403, 500]) {
    put.status = status;
    await t.throwsAsync(store.putOnce('key', Buffer.from('file'), uploadOf('file')));
  }
  put.status = 403;
  await t.throwsAsync(store.probe(), { instanceOf: FilesRefused });
});

test('a store that is full for large files is tried with a large one, but not the largest', async (t) => {
  const { store, put, asked } = await storeThatPuts(t);
  put.status = 507;
  const body = Buffer.alloc(3_000_000);
  await t.throwsAsync(store.putOnce('key', body, uploadOf(body)));
  await t.throwsAsync(store.putOnce('other', Buffer.from('file'), uploadOf('file')));
  await t.throwsAsync(store.probe(), { instanceOf: FilesRefused });
  t.is(asked.at(-1), 'PUT /paddock/history/write-trial 1000000');
});

test('a file that is taken ends the doubt, and one that was there before does not', async (t) => {
  const { store, put, asked } = await storeThatPuts(t);
  const file = () => store.putOnce('key', Buffer.from('file'), uploadOf('file'));
  put.status = 507;
  await t.throwsAsync(file());
  put.status = 412;
  t.false(await file());
  await t.throwsAsync(store.probe(), { instanceOf: FilesRefused });
  put.status = 200;
  t.true(await file());
  put.status = 507;
  asked.length = 0;
  await t.notThrowsAsync(store.probe());
  t.deepEqual(asked, ['HEAD /paddock/ -']);
});

test('what is wrong with a request says nothing of the store', async (t) => {
  const { store, put, asked } = await storeThatPuts(t);
  for (const status of [400, 411, 412, 413]) {
    put.status = status;
    await store.putOnce('key', Buffer.from('file'), uploadOf('file')).catch(() => undefined);
  }
  asked.length = 0;
  await t.notThrowsAsync(store.probe());
  t.deepEqual(asked, ['HEAD /paddock/ -']);
});
