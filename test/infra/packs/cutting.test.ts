import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { buildSubPack } from '../../../infra/packs/build-sub-pack.ts';
import { PackInvalid } from '../../../infra/packs/pack-invalid.ts';
import { writePack } from '../../../infra/packs/write-pack.ts';
import { packManifest } from '../../support/service-world.ts';

// A cut that fails while a file is on its way is a rejection: whatever else it were would end the edge,
// with every request that is open there. The file is larger than all that streams hold on the way.

const taskIds = ['task-1'];
let folder: string;
let sourcePath: string;
test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-cutting-'));
  sourcePath = join(folder, 'pack.tar.gz');
  const tasks = [{ task_id: 'task-1', family: 'one', goal_text: 'Buy a thing' }];
  const files = { 'data/noise': randomBytes(2_000_000).toString('base64') };
  await writePack(sourcePath, { manifest: packManifest, tasks, files });
});
test.after.always(() => rm(folder, { recursive: true, force: true }));

const damages: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  'cut in half': (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2)),
  'cut after its first kilobyte': (bytes) => bytes.subarray(0, 1000),
  'flipped in the middle': (bytes) => {
    const copy = Buffer.from(bytes);
    const middle = Math.floor(copy.length / 2);
    copy.writeUInt8(copy.readUInt8(middle) ^ 0x55, middle);
    return copy;
  },
  'without its last byte': (bytes) => bytes.subarray(0, -1),
};

for (const [what, damage] of Object.entries(damages)) {
  test(`a stored pack that is ${what} is told from a whole one`, async (t) => {
    const damaged = join(folder, what.replaceAll(' ', '-'));
    await writeFile(damaged, damage(await readFile(sourcePath)));
    const plan = { sourcePath: damaged, taskIds, targetPath: `${damaged}-cut` };

    await t.throwsAsync(buildSubPack(plan), { instanceOf: PackInvalid });
  });
}

test('a full disk is told by its code', async (t) => {
  const plan = { sourcePath, taskIds, targetPath: '/dev/full' };

  await t.throwsAsync(buildSubPack(plan), { code: 'ENOSPC' });
});

test('a folder that went away meanwhile is told', async (t) => {
  const plan = { sourcePath, taskIds, targetPath: join(folder, 'nowhere', 'cut') };

  await t.throwsAsync(buildSubPack(plan), { code: 'ENOENT' });
});
