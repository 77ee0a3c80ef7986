import { createServer } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { createS3Store } from '../../../infra/object-store/s3-store.ts';
import { StorageUnavailable } from '../../../infra/object-store/storage-unavailable.ts';
import { credentials, embeddedStore, uploadOf } from './store-under-test.ts';

const trialKey = 'history/checksum-trial';

async function embedded(t: ExecutionContext, ignoresQueryChecksums: boolean) {
  const tested = await embeddedStore({ ignoresQueryChecksums });
  t.teardown(() => tested.stop());
  // Clients may reach the store by an address that is of no use here.
  const publicEndpoint = 'https://objects.example';
  const store = createS3Store({ ...tested.options, publicEndpoint });
  await store.ensureBucket();
  return { store, clientsStore: createS3Store(tested.options) };
}

/** What became of "an EPISODE" by a URL for "an episode". */
async function forged(url: string): Promise<number> {
  const answer = await fetch(url, { method: 'PUT', body: 'an EPISODE' });
  await answer.text();
  return answer.status;
}

const upload = {
  contentLength: 10,
  sha256: uploadOf('an episode').sha256,
  expiresInSeconds: 60,
} as const;

test('a store that compares the checksum of a URL is found to, and nothing is left there', async (t) => {
  const { store, clientsStore } = await embedded(t, false);

  t.true(await store.comparesUploads());

  t.is(await store.size(trialKey), undefined);
  t.is(await forged(await clientsStore.presignPut('key', upload)), 400);
});

test('a store that does not is found not to, and is known by what it took', async (t) => {
  const { store, clientsStore } = await embedded(t, true);

  t.false(await store.comparesUploads());

  t.is(await store.size(trialKey), 25);
  t.is(await forged(await clientsStore.presignPut('key', upload)), 200);
  t.false(await store.comparesUploads());
});

test('a bucket in which other bytes were taken once is trusted no more', async (t) => {
  const { store } = await embedded(t, false);
  await store.putOnce(trialKey, Buffer.from('taken'), uploadOf('taken'));

  t.false(await store.comparesUploads());
});

interface Reply {
  readonly status: number;
  readonly code?: string;
}

/** Answers as told to a plain PUT, and to one with a checksum in a header; nothing is there. */
async function storeThatSays(t: ExecutionContext, plain: Reply, withHeader: Reply) {
  const server = createServer((message, response) => {
    message.resume();
    if (message.method !== 'PUT') return void response.writeHead(404).end();
    const isHeaded = message.headers['x-amz-checksum-sha256'] !== undefined;
    const { status, code } = isHeaded ? withHeader : plain;
    const text = `<Error><Code>${code}</Code><CanonicalRequest>x-amz-checksum-sha256</CanonicalRequest></Error>`;
    message.on('end', () => response.writeHead(status).end(code === undefined ? '' : text));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return createS3Store({ endpoint: `http://127.0.0.1:${port}`, bucket: 'paddock', ...credentials });
}

const badDigest = { status: 400, code: 'BadDigest' };
const unsignedHeader = { status: 403, code: 'AccessDenied' };

for (const code of ['BadDigest', 'InvalidDigest', 'XAmzContentChecksumMismatch']) {
  test(`a store that refuses by ${code} compares`, async (t) => {
    t.true(await (await storeThatSays(t, { status: 400, code }, unsignedHeader)).comparesUploads());
  });
}

test('a store that takes them when a header says that they are right does not compare', async (t) => {
  t.false(await (await storeThatSays(t, badDigest, { status: 200 })).comparesUploads());
});

for (const [what, plain, withHeader] of [
  ['for want of a right', { status: 403, code: 'AccessDenied' }, unsignedHeader],
  ['for its signature', { status: 403, code: 'SignatureDoesNotMatch' }, unsignedHeader],
  ['without a word', { status: 400 }, unsignedHeader],
  ['as it is full', { status: 507, code: 'StorageFull' }, unsignedHeader],
  ['for its rate', badDigest, { status: 429, code: 'SlowDown' }],
  ['with an error', badDigest, { status: 500, code: 'InternalError' }],
] as const) {
  test(`a store that refuses ${what} says nothing of what it compares`, async (t) => {
    const store = await storeThatSays(t, plain, withHeader);

    await t.throwsAsync(store.comparesUploads(), { instanceOf: StorageUnavailable });
  });
}
