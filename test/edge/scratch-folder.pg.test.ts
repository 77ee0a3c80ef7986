import { spawnSync } from 'node:child_process';
import {
  access,
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { scratchFolder, scratchFor } from '../../infra/local/scratch-folder.ts';
import { startTestService } from '../support/edge.ts';

const name = `edge-scratch-${process.pid}`;
const folder = join(tmpdir(), `paddock-${process.getuid?.() ?? 0}`, name);

async function leave(path: string): Promise<void> {
  await mkdir(join(folder, path, 'paddock-pack-a'), { recursive: true });
  await writeFile(join(folder, path, 'paddock-pack-a', 'pack.tar.gz'), 'half a pack');
}

test('what killed processes of its name left behind is gone once an edge has started', async (t) => {
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  // It has ended, and its number is nobody's.
  const { pid: ended } = spawnSync(process.execPath, ['--version']);
  const ofBefore = `${process.pid}-before`;
  const ofLiving = `${process.ppid}-living`;
  for (const path of [`${ended}-killed`, ofBefore, ofLiving]) await leave(path);

  const service = await startTestService({ edges: 2, edgeEnv: { PROCESS_NAME: name } });
  t.teardown(() => service.stop());

  const found = await readdir(folder);
  t.false(found.includes(`${ended}-killed`));
  t.false(found.includes(ofBefore));
  await t.notThrowsAsync(access(join(folder, ofLiving, 'paddock-pack-a', 'pack.tar.gz')));
  t.is(found.length, 2, 'one of the living, one of this process, whose two edges share it');
});

// Some systems clear temporary folders by age, also those of living processes.
test('a folder that was cleared away under its process is made again', async (t) => {
  const cleared = join(folder, 'cleared');
  t.teardown(() => rm(cleared, { recursive: true, force: true }));
  const made = await scratchFor(cleared, 'pack-');
  t.true(made.startsWith(join(cleared, 'pack-')));
  await t.notThrowsAsync(access(made));
});

/** Makes the temporary folder of this process an empty one, for as long as the test runs. */
async function emptyTemporary(t: ExecutionContext): Promise<string> {
  const temporary = await mkdtemp(join(tmpdir(), 'paddock-cleared-'));
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = temporary;
  t.teardown(async () => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    await rm(temporary, { recursive: true, force: true });
  });
  return temporary;
}

// Everybody may write to a temporary folder: once a cleaner has been there, another user may be first.
test.serial('what stands where a folder was cleared away is not trusted unseen', async (t) => {
  const temporary = await emptyTemporary(t);
  const scratch = await scratchFolder('edge-scratch-cleared');
  const root = join(temporary, `paddock-${process.getuid?.() ?? 0}`);

  await rm(root, { recursive: true });
  await mkdir(scratch, { recursive: true });
  await chmod(root, 0o777);
  await scratchFor(scratch, 'pack-');
  t.is((await stat(root)).mode & 0o777, 0o700, 'no other user may write to it');

  await rm(root, { recursive: true });
  const elsewhere = await mkdtemp(join(temporary, 'elsewhere-'));
  await symlink(elsewhere, root);
  await t.throwsAsync(scratchFor(scratch, 'pack-'), { message: /not a folder of this user/ });
  t.deepEqual(await readdir(elsewhere), []);
});
