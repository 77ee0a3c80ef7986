import { createHash } from 'node:crypto';
import { DeleteObjectCommand, S3Client } from '@aws-sdk/client-s3';
import test, { type ExecutionContext } from 'ava';
import { deliveryKey } from '../../../apps/edge/evaluation/object-keys.ts';
import { packDelivery } from '../../spec/answers/deliveries.ts';
import { startTestService } from '../../support/edge.ts';
import { openTrialSuite } from '../../support/trial-suite.ts';
import { shaped } from './answers.ts';

/** A service that handed out one delivery, and the store, from which it can be removed. */
async function handedOut(t: ExecutionContext) {
  const service = await startTestService();
  t.teardown(() => service.stop());
  const suite = await openTrialSuite(service);
  const validator = await service.validator('validator');
  const ask = async () =>
    await shaped(t, packDelivery, await validator.get(`/v1/validator/pack/${suite.packSha256}`));
  const first = await ask();
  const { url: endpoint, ...credentials } = service.objects;
  const store = new S3Client({
    ...{ endpoint, credentials },
    region: 'us-east-1',
    forcePathStyle: true,
  });
  t.teardown(() => store.destroy());
  const lost = { Bucket: 'paddock', Key: deliveryKey(first.download_url_sha256) };
  const lose = async () => {
    await store.send(new DeleteObjectCommand(lost));
    t.is((await fetch(first.download_url)).status, 404);
  };
  return { first, ask, lose };
}

async function requireWhole(t: ExecutionContext, url: string, sha256: string) {
  const answer = await fetch(url);
  t.is(answer.status, 200);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  t.is(createHash('sha256').update(bytes).digest('hex'), sha256);
}

// A copy of the bucket may lag behind the database, and its newest deliveries are what it lacks.
test('a delivery that the store has lost is built again', async (t) => {
  const { first, ask, lose } = await handedOut(t);
  await lose();

  const again = await ask();

  await requireWhole(t, again.download_url, first.download_url_sha256);
});

// A rule of the store removes what is older than a week, which that of a suite is that still is in use.
test('so is one that is removed right after it was seen there', async (t) => {
  const { first, ask, lose } = await handedOut(t);
  await ask();
  await lose();

  const again = await ask();

  await requireWhole(t, again.download_url, first.download_url_sha256);
});

// The hash is of compressed bytes: another version of Node may make others of the same tasks.
test('a lost delivery that an earlier version built otherwise gives way to one of today', async (t) => {
  const service = await startTestService();
  t.teardown(() => service.stop());
  const suite = await openTrialSuite(service);
  const validator = await service.validator('validator');
  const path = `/v1/validator/pack/${suite.packSha256}`;
  const today = await shaped(t, packDelivery, await validator.get(path));
  await service.sql`update pack_delivery set delivery_sha256 = ${'a'.repeat(64)}, size_bytes = 7`;

  const answers = await Promise.all([validator.get(path), validator.get(path)]);

  for (const answer of answers) {
    const pack = await shaped(t, packDelivery, answer);
    t.is(pack.download_url_sha256, today.download_url_sha256);
    t.is(pack.download_url_size_bytes, today.download_url_size_bytes);
    t.is((await fetch(pack.download_url)).status, 200);
  }
});
