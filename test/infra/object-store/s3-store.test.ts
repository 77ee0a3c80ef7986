import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { DeleteObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import test from 'ava';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { createS3Store } from '../../../infra/object-store/s3-store.ts';
import { StorageUnavailable } from '../../../infra/object-store/storage-unavailable.ts';
import type { ObjectStore } from '../../../infra/ports/object-store.ts';
import type { StoreUnderTest } from './store-under-test.ts';
import { plainClient, storeUnderTest, uploadOf } from './store-under-test.ts';

// What holds of any store that speaks S3: run it against another with S3_TEST_ENDPOINT,
// S3_TEST_BUCKET, S3_TEST_ACCESS_KEY_ID, S3_TEST_SECRET_ACCESS_KEY and S3_TEST_REGION.

let tested: StoreUnderTest;
let store: ObjectStore;

test.before(async () => {
  tested = await storeUnderTest();
  store = createS3Store(tested.options);
  await store.ensureBucket();
});

test.after.always(async () => {
  await tested?.stop();
});

function freshKey(): string {
  return `test/${randomUUID()}`;
}

/** As a validator's client would send it: no header but what HTTP itself needs. */
async function plainPut(url: string, body: Uint8Array | string, contentType?: string) {
  const headers = contentType === undefined ? {} : { 'content-type': contentType };
  const response = await fetch(url, { method: 'PUT', body: Buffer.from(body), headers });
  await response.text();
  return response.status;
}

/** As an operator's tool would put it there. */
async function plainClientPut(key: string, body: string): Promise<void> {
  const client = plainClient(tested.options);
  const { bucket } = tested.options;
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }));
  client.destroy();
}

function textOf(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString();
}

/** A probe waits two seconds, in which a machine beside other tests may stand still. */
async function patientProbe(probed: ObjectStore): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await probed.probe();
    } catch (error) {
      if (tries === 3) throw error;
    }
  }
}

async function presignFor(key: string, body: string, expiresInSeconds = 60): Promise<string> {
  const { sha256 } = uploadOf(body);
  return await store.presignPut(key, {
    contentLength: Buffer.byteLength(body),
    sha256,
    expiresInSeconds,
  });
}

for (const sizeBytes of [0, 1, 70_000, 5_000_000]) {
  test(`${sizeBytes} bytes come back as they were`, async (t) => {
    const key = freshKey();
    const body = randomBytes(sizeBytes);
    t.true(await store.putOnce(key, body, uploadOf(body)));
    t.is(await store.size(key), sizeBytes);
    t.true(body.equals((await store.get(key)) ?? Buffer.from('absent')));
    t.true(body.equals(await buffer((await store.getStream(key)) ?? Readable.from([]))));
  });
}

test('a file is streamed and comes back as it was', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-upload-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const body = randomBytes(9_000_001);
  const [key, path] = [freshKey(), join(folder, 'pack.tar.gz')];
  await writeFile(path, body);
  t.true(await store.putFileOnce(key, path, uploadOf(body)));
  t.false(await store.putFileOnce(key, path, uploadOf(body)));
  t.true(body.equals((await store.get(key)) ?? Buffer.from('absent')));
});

test('a file replaces what its key held, be it whole or not', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-replace-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const [key, path] = [freshKey(), join(folder, 'file')];
  await writeFile(path, 'whole');
  for (const other of ['', 'who', 'whale', 'whole']) {
    await plainClientPut(key, other);

    await store.putFile(key, path, uploadOf('whole'));

    t.is(textOf(await store.get(key)), 'whole', `instead of "${other}"`);
  }
  await t.throwsAsync(store.putFile(key, path, uploadOf('other')));
  t.is(textOf(await store.get(key)), 'whole', 'what its hash does not say replaces nothing');
});

test('the store tells whether a key holds what its hash and its size say', async (t) => {
  const key = freshKey();
  const expected = { sha256: uploadOf('whole').sha256, sizeBytes: 5 };
  t.false(await store.holds(key, expected), 'nothing is there');
  await store.putOnce(key, Buffer.from('whole'), uploadOf('whole'));
  t.true(await store.holds(key, expected));

  await store.putOnce(`${key}-2`, Buffer.from('who'), uploadOf('who'));
  t.false(await store.holds(`${key}-2`, expected), 'shorter');
  await store.putOnce(`${key}-3`, Buffer.from('whale'), uploadOf('whale'));
  t.false(await store.holds(`${key}-3`, expected), 'as long, and other bytes');
});

test('a copy is made once, of what is there then, with its type', async (t) => {
  const [source, target] = [freshKey(), freshKey()];
  t.is(await store.copyOnce(source, target, tmpdir()), undefined, 'of nothing there is no copy');
  t.is(await store.size(target), undefined);
  const body = randomBytes(1_000_001);
  await store.putOnce(source, body, uploadOf(body, 'text/x-log'));

  const made = await Promise.all([1, 2, 3].map(() => store.copyOnce(source, target, tmpdir())));

  t.is(made.filter(Boolean).length, 1, 'however many copy at once');
  t.true(body.equals((await store.get(target)) ?? Buffer.from('absent')));
  const read = await fetch(await store.presignGet(target, 60));
  t.is(read.headers.get('content-type'), 'text/x-log');
  await read.arrayBuffer();
  const other = freshKey();
  await store.putOnce(other, Buffer.from('other'), uploadOf('other'));
  t.false(await store.copyOnce(other, target, tmpdir()));
  t.is(await store.size(target), body.length);
});

test('a URL for logs takes others while it lives, and a copy of them stays', async (t) => {
  const [source, target] = [freshKey(), freshKey()];
  const url = await store.presignPut(source, { contentLength: 4, expiresInSeconds: 60 });
  t.is(await plainPut(url, 'logs'), 200);
  t.true(await store.copyOnce(source, target, tmpdir()));

  t.is(await plainPut(url, 'LOGS'), 200);

  t.is(Buffer.from((await store.get(source)) ?? []).toString(), 'LOGS');
  t.is(Buffer.from((await store.get(target)) ?? []).toString(), 'logs');
});

test('a file that is not there is a defect, not an outage', async (t) => {
  const path = join(tmpdir(), randomUUID());
  const error = await t.throwsAsync(store.putFileOnce(freshKey(), path, uploadOf('')));
  t.false(error instanceof StorageUnavailable);
});

test('a key keeps the first bytes it got', async (t) => {
  const key = freshKey();
  t.true(await store.putOnce(key, Buffer.from('first'), uploadOf('first')));
  t.false(await store.putOnce(key, Buffer.from('other'), uploadOf('other')));
  t.is(Buffer.from((await store.get(key)) ?? []).toString(), 'first');
});

test('of many writers of one key one is the first', async (t) => {
  const key = freshKey();
  const bodies = Array.from({ length: 8 }, (_, index) => `writer ${index}`);
  const stored = await Promise.all(
    bodies.map((body) => store.putOnce(key, Buffer.from(body), uploadOf(body))),
  );
  t.is(stored.filter(Boolean).length, 1);
  t.is(
    Buffer.from((await store.get(key)) ?? []).toString(),
    bodies[stored.indexOf(true)] ?? 'nobody',
  );
});

test('bytes that are not those of the SHA-256 are not stored', async (t) => {
  const key = freshKey();
  const error = await t.throwsAsync(store.putOnce(key, Buffer.from('one'), uploadOf('two')));
  t.false(error instanceof StorageUnavailable);
  t.is(await store.size(key), undefined);
});

test('an absent key is undefined', async (t) => {
  t.is(await store.get(freshKey()), undefined);
  t.is(await store.getStream(freshKey()), undefined);
  t.is(await store.size(freshKey()), undefined);
});

test('the bucket may be ensured again, and answers a probe', async (t) => {
  await t.notThrowsAsync(store.ensureBucket());
  await t.notThrowsAsync(patientProbe(store));
});

test('keys with signs that URLs reserve are kept apart', async (t) => {
  const stem = freshKey();
  const keys = ['a b', 'a+b', 'a%20b', "it's(*)!", 'ü/日本', 'a&b=c?d#e', '~._-'];
  for (const name of keys) {
    t.true(await store.putOnce(`${stem}/${name}`, Buffer.from(name), uploadOf(name)), name);
  }
  for (const name of keys) {
    const response = await fetch(await store.presignGet(`${stem}/${name}`, 60));
    t.is(await response.text(), name);
  }
});

test('a presigned GET needs nothing else, and lets through parts', async (t) => {
  const key = freshKey();
  await store.putOnce(key, Buffer.from('0123456789'), uploadOf('0123456789', 'text/x-log'));
  const url = await store.presignGet(key, 60);
  const whole = await fetch(url);
  t.is(whole.headers.get('content-type'), 'text/x-log');
  t.is(await whole.text(), '0123456789');
  const parts = { 'bytes=2-4': '234', 'bytes=7-': '789', 'bytes=-2': '89', 'bytes=8-99': '89' };
  for (const [range, expected] of Object.entries(parts)) {
    const part = await fetch(url, { headers: { range } });
    t.is(part.status, 206);
    t.is(await part.text(), expected);
  }
  t.is((await fetch(url, { headers: { range: 'bytes=10-' } })).status, 416);
});

test('a presigned GET allows no other key, method or time', async (t) => {
  const [key, other] = [freshKey(), freshKey()];
  await store.putOnce(key, Buffer.from('mine'), uploadOf('mine'));
  await store.putOnce(other, Buffer.from('secret'), uploadOf('secret'));
  const url = await store.presignGet(key, 60);
  t.is((await fetch(url.replace(key, other))).status, 403);
  t.is((await fetch(url, { method: 'DELETE' })).status, 403);
  t.is((await fetch(url.replace('X-Amz-Expires=60', 'X-Amz-Expires=6000'))).status, 403);
  t.is(await store.size(key), 4);
});

test('a plain PUT of the bytes that a URL was made for is stored', async (t) => {
  const key = freshKey();
  const url = await presignFor(key, 'an episode');
  t.is(await plainPut(url, 'an episode'), 200);
  t.is(Buffer.from((await store.get(key)) ?? []).toString(), 'an episode');
  t.is(await plainPut(url, 'an episode', 'application/gzip'), 200);
});

test('a URL that names no type takes any', async (t) => {
  const url = await presignFor(freshKey(), 'an episode');
  t.is(await plainPut(url, 'an episode', 'application/x-anything'), 200);
});

test('only host and length are signed as headers, and the type where it is given', async (t) => {
  const url = new URL(await presignFor(freshKey(), 'an episode'));
  t.is(url.searchParams.get('X-Amz-SignedHeaders'), 'content-length;host');
  const typed = await store.presignPut(freshKey(), {
    contentLength: 4,
    contentType: 'application/gzip',
    expiresInSeconds: 60,
  });
  const signed = new URL(typed).searchParams.get('X-Amz-SignedHeaders');
  t.is(signed, 'content-length;content-type;host');
});

test('a presigned PUT refuses other bytes, lengths, keys and signatures', async (t) => {
  const [key, other] = [freshKey(), freshKey()];
  const url = await presignFor(key, 'an episode');
  const sha256 = encodeURIComponent(
    Buffer.from(uploadOf('an EPISODE').sha256, 'hex').toString('base64'),
  );
  const forged = url.replace(/(x-amz-checksum-sha256=)[^&]+/i, `$1${sha256}`);
  t.not(forged, url);
  t.is(await plainPut(url, 'an EPISODE'), 400);
  t.is(await plainPut(url, 'an episode and more'), 403);
  t.is(await plainPut(url, 'an'), 403);
  t.is(await plainPut(url.replace(key, other), 'an episode'), 403);
  t.is(await plainPut(forged, 'an EPISODE'), 403);
  t.is(await plainPut(url.replace(/&x-amz-checksum-sha256=[^&]+/i, ''), 'an EPISODE'), 403);
  t.is(await plainPut(flipSignature(url), 'an episode'), 403);
  t.is(await store.size(key), undefined);
  t.is(await store.size(other), undefined);
});

test('what was stored through a URL does not change through it', async (t) => {
  const key = freshKey();
  const url = await presignFor(key, 'an episode');
  t.is(await plainPut(url, 'an episode'), 200);
  t.is(await plainPut(url, 'an EPISODE'), 400);
  t.is(Buffer.from((await store.get(key)) ?? []).toString(), 'an episode');
});

test('a URL for logs binds length and type where nobody knows the bytes', async (t) => {
  const key = freshKey();
  const url = await store.presignPut(key, {
    contentLength: 4,
    contentType: 'application/gzip',
    expiresInSeconds: 60,
  });
  t.is(await plainPut(url, 'logs', 'text/html'), 403);
  t.is(await plainPut(url, 'longer logs', 'application/gzip'), 403);
  t.is(await plainPut(url, 'logs', 'application/gzip'), 200);
  t.is(await store.size(key), 4);
});

test('a URL ends', async (t) => {
  const earlier = createS3Store({
    ...tested.options,
    clock: { ...systemClock, nowMs: () => systemClock.nowMs() - 3_600_000 },
  });
  const key = freshKey();
  const upload = { contentLength: 4, sha256: uploadOf('late').sha256, expiresInSeconds: 900 };
  t.is(await plainPut(await earlier.presignPut(key, upload), 'late'), 403);
  t.is((await fetch(await earlier.presignGet(key, 900))).status, 403);
  const longer = { ...upload, expiresInSeconds: 7200 };
  t.is(await plainPut(await earlier.presignPut(key, longer), 'late'), 200);
});

test('a URL never says localhost, and names the public address', async (t) => {
  const local = createS3Store({ ...tested.options, endpoint: 'http://localhost:9000' });
  t.true((await local.presignGet('a/key', 60)).startsWith('http://127.0.0.1:9000/'));
  const behind = createS3Store({ ...tested.options, publicEndpoint: 'https://objects.example' });
  const url = await behind.presignPut('a/key', { contentLength: 1, expiresInSeconds: 60 });
  t.true(url.startsWith(`https://objects.example/${tested.options.bucket}/a/key?`));
  await t.notThrowsAsync(patientProbe(behind));
});

test('forged credentials read nothing and write nothing', async (t) => {
  const key = freshKey();
  await store.putOnce(key, Buffer.from('mine'), uploadOf('mine'));
  const forgers = [{ secretAccessKey: 'another-secret' }, { accessKeyId: 'SOMEBODYELSE' }];
  for (const change of forgers) {
    const forger = createS3Store({ ...tested.options, ...change });
    await t.throwsAsync(forger.probe(), { instanceOf: StorageUnavailable });
    await t.throwsAsync(forger.get(key), { instanceOf: StorageUnavailable });
    const stolen = forger.putOnce(freshKey(), Buffer.from('x'), uploadOf('x'));
    await t.throwsAsync(stolen, { instanceOf: StorageUnavailable });
    t.is((await fetch(await forger.presignGet(key, 60))).status, 403);
  }
});

test('a store that is down is unavailable, and soon known to be', async (t) => {
  const port = await closedPort();
  const down = createS3Store({ ...tested.options, endpoint: `http://127.0.0.1:${port}` });
  const body = Buffer.from('x');
  const startedMs = Date.now();
  const expected = { instanceOf: StorageUnavailable };
  await Promise.all([
    t.throwsAsync(down.probe(), expected),
    t.throwsAsync(down.ensureBucket(), expected),
    t.throwsAsync(down.get('key'), expected),
    t.throwsAsync(down.getStream('key'), expected),
    t.throwsAsync(down.size('key'), expected),
    t.throwsAsync(down.copyOnce('key', 'copy', tmpdir()), expected),
    t.throwsAsync(down.putOnce('key', body, uploadOf(body)), expected),
    t.throwsAsync(down.putFileOnce('key', import.meta.filename, uploadOf(body)), expected),
  ]);
  t.true(Date.now() - startedMs < 30_000);
});

test('the SDK with its own settings streams a body with a trailing checksum', async (t) => {
  const key = freshKey();
  const body = randomBytes(300_000);
  const client = plainClient(tested.options);
  await client.send(
    new PutObjectCommand({
      Bucket: tested.options.bucket,
      Key: key,
      Body: Readable.from([body.subarray(0, 100_000), body.subarray(100_000)]),
      ContentLength: body.length,
    }),
  );
  t.true(body.equals((await store.get(key)) ?? Buffer.from('absent')));
});

for (const algorithm of ['CRC32', 'SHA1', 'SHA256'] as const) {
  test(`the SDK's ${algorithm} is compared, streamed and whole`, async (t) => {
    const client = plainClient(tested.options);
    const [whole, streamed] = [freshKey(), freshKey()];
    const target = { Bucket: tested.options.bucket, ChecksumAlgorithm: algorithm };
    await client.send(new PutObjectCommand({ ...target, Key: whole, Body: 'some bytes' }));
    const Body = Readable.from([Buffer.from('some bytes')]);
    await client.send(new PutObjectCommand({ ...target, Key: streamed, Body, ContentLength: 10 }));
    t.is(await store.size(whole), 10);
    t.is(await store.size(streamed), 10);
  });
}

test('keys are listed by prefix, in order and by page, and can be deleted', async (t) => {
  const client = plainClient(tested.options);
  const { bucket } = tested.options;
  const prefix = `${freshKey()}/<&>/`;
  const names = ['b', 'a/2', 'a/1', 'Z', 'ü'];
  for (const name of names) await store.putOnce(prefix + name, Buffer.from(name), uploadOf(name));
  const list = async (extra: object) =>
    await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ...extra }));
  const sorted = ['Z', 'a/1', 'a/2', 'b', 'ü'].map((name) => prefix + name);
  const first = await list({ MaxKeys: 3 });
  const second = await list({ MaxKeys: 3, ContinuationToken: first.NextContinuationToken });
  const pages = [first, second].map((page) => (page.Contents ?? []).map(({ Key }) => Key));
  t.deepEqual(pages, [sorted.slice(0, 3), sorted.slice(3)]);
  t.is(second.IsTruncated, false);
  t.is(first.Contents?.[1]?.Size, 3);
  t.deepEqual((await list({ StartAfter: `${prefix}a/2` })).KeyCount, 2);

  await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: `${prefix}b` }));
  await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: `${prefix}b` }));
  t.is(await store.get(`${prefix}b`), undefined);
  t.is((await list({})).KeyCount, 4);
});

function flipSignature(url: string): string {
  return url.replace(/(X-Amz-Signature=)(.)/, (_, name: string, digit: string) => {
    return name + (digit === '0' ? '1' : '0');
  });
}

/** A port that was free a moment ago, so that nobody listens there. */
function closedPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 1;
      server.close(() => resolve(port));
    });
  });
}
