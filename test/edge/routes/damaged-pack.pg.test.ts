import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import test from 'ava';
import { packKey } from '../../../apps/edge/evaluation/object-keys.ts';
import { writePack } from '../../../infra/packs/write-pack.ts';
import { packDelivery } from '../../spec/answers/deliveries.ts';
import { startTestService } from '../../support/edge.ts';
import { okBody, openSuite, trialManifest, trialTasks } from '../../support/trial-suite.ts';
import { refused, shaped } from './answers.ts';

/** With a file that is on its way for a while, as a catalogue is. */
async function largePack(): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-damaged-'));
  try {
    const path = join(folder, 'pack.tar.gz');
    const tasks = trialTasks(3).map((task) => ({ ...task }));
    const files = { 'data/noise': randomBytes(2_000_000).toString('base64') };
    await writePack(path, { manifest: trialManifest, tasks, files });
    return await readFile(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

// As a bucket that was copied badly has it: the store vouches for what is there now.
test('a pack that is damaged in the store costs its validator a 503, and nobody else anything', async (t) => {
  const service = await startTestService();
  t.teardown(() => service.stop());
  const body = await largePack();
  const headers = { 'content-type': 'application/gzip' };
  const kept = await service.operator('POST', '/v1/admin/packs', { body, headers });
  const { pack_sha256: packSha256 } = await okBody<{ pack_sha256: string }>(kept);
  await openSuite(service, {
    execution_kind: 'envpack',
    env_pack_sha256: packSha256,
    qualifying_task_ids: ['task-000'],
    required_successes_qualifying: 1,
  });
  const validator = await service.validator('validator');
  const path = `/v1/validator/pack/${packSha256}`;
  const { url: endpoint, ...credentials } = service.objects;
  const store = new S3Client({
    ...{ endpoint, credentials },
    region: 'us-east-1',
    forcePathStyle: true,
  });
  t.teardown(() => store.destroy());
  const put = async (Body: Uint8Array) =>
    await store.send(new PutObjectCommand({ Bucket: 'paddock', Key: packKey(packSha256), Body }));

  await put(body.subarray(0, body.length / 2));

  for (let attempt = 0; attempt < 2; attempt += 1) {
    const told = await refused(t, await validator.get(path), '503 STORAGE_UNAVAILABLE');
    t.regex(told.detail, /damaged/);
  }
  t.is((await service.call('GET', '/health')).status, 200);

  await put(body);

  await shaped(t, packDelivery, await validator.get(path));
});
