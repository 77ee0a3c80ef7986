import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DeleteObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import test, { type ExecutionContext } from 'ava';
import { deliveryKey, packKey } from '../../../apps/edge/evaluation/object-keys.ts';
import { writePack } from '../../../infra/packs/write-pack.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import { packDelivery } from '../../spec/answers/deliveries.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import type { TestKey } from '../../support/edge-client.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';
import { okBody, openSuite, trialManifest, trialTasks } from '../../support/trial-suite.ts';
import { refused, shaped } from './answers.ts';

let service: TestService;
let validator: TestKey;
let store: S3Client;
/** What the processes say of errors. */
const errors: string[] = [];
const log: Logger = {
  ...silentLogger,
  error: (_message, fields) => void errors.push(String(Reflect.get(fields ?? {}, 'error'))),
  with: () => log,
};

test.before(async () => {
  service = await startTestService({ log });
  validator = await service.validator('validator');
  const { url: endpoint, ...credentials } = service.objects;
  store = new S3Client({
    ...{ endpoint, credentials },
    region: 'us-east-1',
    forcePathStyle: true,
  });
});
test.after.always(async () => {
  store?.destroy();
  await service?.stop();
});

/** With a file that is on its way for a while, as a catalogue is. */
async function largePack(taskCount: number): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-damaged-'));
  try {
    const path = join(folder, 'pack.tar.gz');
    const tasks = trialTasks(taskCount).map((task) => ({ ...task }));
    const files = { 'data/noise': randomBytes(2_000_000).toString('base64') };
    await writePack(path, { manifest: trialManifest, tasks, files });
    return await readFile(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A pack whose suite is active, and how the operator uploads it again. */
async function openPack(taskCount: number) {
  const body = await largePack(taskCount);
  const headers = { 'content-type': 'application/gzip' };
  const upload = async () =>
    await okBody<{ pack_sha256: string }>(
      await service.operator('POST', '/v1/admin/packs', { body, headers }),
    );
  const kept = await upload();
  await openSuite(service, {
    execution_kind: 'envpack',
    env_pack_sha256: kept.pack_sha256,
    qualifying_task_ids: ['task-000'],
    required_successes_qualifying: 1,
  });
  const key = packKey(kept.pack_sha256);
  return { body, upload, kept, key, path: `/v1/validator/pack/${kept.pack_sha256}` };
}

const put = async (Key: string, Body: Uint8Array) =>
  await store.send(new PutObjectCommand({ Bucket: 'paddock', Key, Body }));
const remove = async (Key: string) =>
  await store.send(new DeleteObjectCommand({ Bucket: 'paddock', Key }));

/** What a validator is told of, and downloads, is what its size and its hash say. */
async function delivered(t: ExecutionContext, path: string) {
  const told = await shaped(t, packDelivery, await validator.get(path));
  const bytes = new Uint8Array(await (await fetch(told.download_url)).arrayBuffer());
  t.is(bytes.length, told.download_url_size_bytes);
  t.is(createHash('sha256').update(bytes).digest('hex'), told.download_url_sha256);
  return { sha256: told.download_url_sha256, bytes };
}

// As a bucket that was copied badly has it: the store vouches for what is there now.
test.serial('a damaged pack costs its validator a 503, and nobody else anything', async (t) => {
  const { body, key, path } = await openPack(3);
  const other = await largePack(3);

  for (const damaged of [body.subarray(0, body.length / 2), new Uint8Array(), other]) {
    await put(key, damaged);
    const told = await refused(t, await validator.get(path), '503 STORAGE_UNAVAILABLE');
    t.regex(told.detail, /damaged/);
  }
  t.is((await service.call('GET', '/health')).status, 200);

  await put(key, body);

  await delivered(t, path);
});

const changed = (bytes: Uint8Array) =>
  Uint8Array.from(bytes, (byte, at) => (at === 1_000 ? byte ^ 1 : byte));
const damages: readonly (readonly [string, (bytes: Uint8Array) => Uint8Array])[] = [
  ['empty', () => new Uint8Array()],
  ['cut off', (bytes) => bytes.subarray(0, 100)],
  ['longer than it was', (bytes) => Buffer.concat([bytes, bytes])],
  ['of other bytes', changed],
];

test.serial('a pack that is uploaded again is what was uploaded, whatever was there', async (t) => {
  const { body, upload, kept, key, path } = await openPack(4);
  for (const [how, damage] of damages) {
    await put(key, damage(body));

    t.deepEqual(await upload(), kept, how);

    const { sha256 } = await delivered(t, path);
    await remove(deliveryKey(sha256));
  }
});

test.serial(
  'a delivery that is not what its row says is made again, and so replaced',
  async (t) => {
    const { path } = await openPack(5);
    const { sha256, bytes } = await delivered(t, path);
    for (const [how, damage] of damages) {
      await put(deliveryKey(sha256), damage(bytes));

      const again = await Promise.all([delivered(t, path), delivered(t, path)]);

      for (const each of again) t.is(each.sha256, sha256, how);
    }
  },
);

test.serial('a kept pack that is gone is told to be so, and comes back by an upload', async (t) => {
  const { upload, kept, key, path } = await openPack(6);
  await remove(key);
  errors.length = 0;

  const told = await refused(t, await validator.get(path), '503 STORAGE_UNAVAILABLE');

  t.regex(told.detail, /^The pack is not in the store\. Tell the operators/);
  t.regex(errors.join(), new RegExp(`pack ${kept.pack_sha256} is not in the store`));
  const unknown = `/v1/validator/pack/${'a'.repeat(64)}`;
  await refused(t, await validator.get(unknown), '404 PACK_NOT_FOUND');

  t.deepEqual(await upload(), kept);

  const { sha256 } = await delivered(t, path);
  await Promise.all([key, deliveryKey(sha256)].map(remove));
  await upload();
  t.is((await delivered(t, path)).sha256, sha256);
});

// They were written moments apart, so a power cut meets both.
test.serial('a pack whose document is damaged as well comes back by an upload', async (t) => {
  const { body, upload, kept, key, path } = await openPack(7);
  const list = new ListObjectsV2Command({ Bucket: 'paddock', Prefix: 'documents/' });
  const documents = (await store.send(list)).Contents ?? [];
  const emptied = documents.map(async ({ Key = '' }) => await put(Key, new Uint8Array()));
  t.true(emptied.length > 0);
  await Promise.all([...emptied, put(key, body.subarray(0, 100))]);

  t.deepEqual(await upload(), kept);

  await delivered(t, path);
  const after = (await store.send(list)).Contents ?? [];
  t.true(after.some(({ Size = 0 }) => Size > 0));
});
