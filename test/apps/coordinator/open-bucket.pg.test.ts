import { HeadBucketCommand } from '@aws-sdk/client-s3';
import test, { type ExecutionContext } from 'ava';
import { openBucket } from '../../../apps/coordinator/open-bucket.ts';
import { createS3Store } from '../../../infra/object-store/s3-store.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import {
  type EmbeddedStoreUnderTest,
  embeddedStore,
  plainClient,
} from '../../infra/object-store/store-under-test.ts';
import { testDatabase } from '../../support/cluster.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';
import { until } from '../../support/until.ts';

async function opening(t: ExecutionContext, bucket: string) {
  const store = await embeddedStore();
  t.teardown(() => store.stop());
  const { sql } = await testDatabase(t);
  const said: string[] = [];
  const say = (message: string) => void said.push(message);
  const log: Logger = { ...silentLogger, warn: say, error: say };
  const clock = new ManualClock();
  const objects = createS3Store({ ...store.options, bucket });
  const open = () => openBucket({ objects, bucket, sql, clock, log });
  return { store, sql, clock, said, open, has: () => isThere(store, bucket) };
}

async function isThere({ options }: EmbeddedStoreUnderTest, bucket: string): Promise<boolean> {
  const client = plainClient(options);
  const head = client.send(new HeadBucketCommand({ Bucket: bucket }));
  return await head.then(
    () => true,
    () => false,
  );
}

async function nameAFile(sql: Sql): Promise<void> {
  await sql`
    insert into pack (pack_sha256, size_bytes, manifest, task_count, family_counts, created_at)
    values (${'ab'.repeat(32)}, 1, '{}', 1, '{}', rt.clock())`;
}

test('a database without files has its bucket made', async (t) => {
  const { open, has } = await opening(t, 'new-bucket');

  const stop = await open();

  t.true(await has());
  stop();
});

test('a mistyped bucket is refused, and none is made', async (t) => {
  const { sql, open, has } = await opening(t, 'padock');
  await nameAFile(sql);

  await t.throwsAsync(open(), { message: /the bucket padock is not there.*mend S3_BUCKET/ });

  t.false(await has());
});

test('a bucket that was made by hand is taken, whatever the database names', async (t) => {
  const { store, sql, open } = await opening(t, 'by-hand');
  await nameAFile(sql);
  await createS3Store({ ...store.options, bucket: 'by-hand' }).ensureBucket();

  await t.notThrowsAsync(open());
});

test('a store that is away is waited for, and holds nobody up', async (t) => {
  const { store, clock, said, open, has } = await opening(t, 'late-bucket');
  await store.away();

  const stop = await open();
  t.teardown(stop);
  t.deepEqual(said, ['the object store is away; its bucket is looked for again']);
  await store.restart();

  // It looks every ten seconds; a look may come too early for the store.
  const made = until(async () => {
    const isDue = () => clock.isAwaited(clock.monotonicMs() + 10_000);
    await until(async () => isDue() || (await has()));
    await clock.advance(10_000);
    return await has();
  });
  await t.notThrowsAsync(made);
});
