import { randomUUID } from 'node:crypto';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import test from 'ava';
import { createS3Store } from '../../../infra/object-store/s3-store.ts';
import type { ObjectStore } from '../../../infra/ports/object-store.ts';
import {
  embeddedStore,
  plainClient,
  type StoreUnderTest,
  storeUnderTest,
  uploadOf,
} from './store-under-test.ts';

// As s3-store.test.ts, of any store that speaks S3.

let tested: StoreUnderTest;
let store: ObjectStore;
test.before(async () => {
  tested = await storeUnderTest();
  store = createS3Store(tested.options);
  await store.ensureBucket();
});
test.after.always(() => tested?.stop());

async function pageIn(made: ObjectStore): Promise<string> {
  const key = `test/${randomUUID()}`;
  const page = '<script>alert(1)</script>';
  await made.putOnce(key, Buffer.from(page), uploadOf(page, 'text/html'));
  return key;
}

const asFile = { contentType: 'application/gzip', fileName: 'logs-1.gz' };

test('what is given out as a file is one, whatever its uploader called it', async (t) => {
  const url = await store.presignGet(await pageIn(store), 60, asFile);

  for (const range of [undefined, 'bytes=0-7']) {
    const answer = await fetch(url, { headers: range === undefined ? {} : { range } });
    t.is(answer.status, range === undefined ? 200 : 206);
    t.is(answer.headers.get('content-type'), 'application/gzip');
    t.is(answer.headers.get('content-disposition'), 'attachment; filename="logs-1.gz"');
    t.true((await answer.text()).startsWith('<script>'));
  }
});

test('nobody who holds a URL can have it answered as something else', async (t) => {
  const key = await pageIn(store);
  const [plain, file] = [
    new URL(await store.presignGet(key, 60)),
    new URL(await store.presignGet(key, 60, asFile)),
  ];
  const changed = [plain, file].flatMap((url) =>
    ['response-content-type', 'response-content-disposition'].map((name) => {
      const other = new URL(url);
      other.searchParams.set(name, 'text/html');
      return other;
    }),
  );
  const without = new URL(file);
  without.searchParams.delete('response-content-disposition');

  for (const url of [...changed, without]) t.is((await fetch(url)).status, 403);
  const answer = await fetch(plain);
  t.is(answer.headers.get('content-type'), 'text/html');
  t.is(answer.headers.get('content-disposition'), null);
});

test('a name that could be more than one is not signed', async (t) => {
  for (const fileName of ['a"; x="b', 'a\r\nb', 'a/b', '']) {
    await t.throwsAsync(store.presignGet('key', 60, { ...asFile, fileName }), {
      instanceOf: TypeError,
    });
  }
});

test('of the embedded store only answers with an object may be named, and in one line', async (t) => {
  const embedded = await embeddedStore();
  t.teardown(() => embedded.stop());
  const own = createS3Store(embedded.options);
  await own.ensureBucket();
  const target = { Bucket: embedded.options.bucket, Key: await pageIn(own) };
  const client = plainClient(embedded.options);
  const broken = new GetObjectCommand({ ...target, ResponseContentType: 'text/html\r\nx: y' });
  t.is((await fetch(await getSignedUrl(client, broken))).status, 400);

  const put = new PutObjectCommand(target);
  put.middlewareStack.add(
    (next) => async (args) => {
      (args.request as { query: Record<string, string> }).query['response-content-type'] = 'a/b';
      return await next(args);
    },
    { step: 'build' },
  );
  const url = await getSignedUrl(client, put);
  t.true(url.includes('response-content-type'));
  t.is((await fetch(url, { method: 'PUT', body: 'x' })).status, 501);
});
