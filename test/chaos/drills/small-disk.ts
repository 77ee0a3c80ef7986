import { execFile } from 'node:child_process';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A file system of its own for one folder, as large as what is in it and a little more. */
export interface SmallDisk {
  /** Until not one byte is left. */
  fill(): Promise<void>;
  makeRoom(): Promise<void>;
}

/** Why this machine lets us make none, if so. */
export async function whyNoSmallDisk(): Promise<string | undefined> {
  const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
  const mayMount = isRoot && (await run('unshare', ['--mount', 'true']).then(Boolean, () => false));
  return mayMount ? undefined : 'a disk of its own is mounted by root on Linux alone';
}

/** Nobody may have the folder's files open while it is laid and while it is lifted. */
export async function laySmallDisk(
  folder: string,
  roomMb: number,
): Promise<SmallDisk & { lift(): Promise<void> }> {
  const away = `${folder}.away`;
  const ballast = join(folder, 'ballast');
  const { uid, gid } = await stat(folder);
  const { stdout } = await run('du', ['--summarize', '--block-size=1M', folder]);
  const sizeMb = Number.parseInt(stdout, 10) + roomMb;
  await move(folder, away);
  await run('mkdir', [folder]);
  const options = `size=${sizeMb}m,mode=0700,uid=${uid},gid=${gid}`;
  await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
  try {
    await copy(away, folder);
  } catch (error) {
    await run('umount', [folder]);
    throw error;
  }
  await rm(away, { recursive: true });
  return {
    fill: () => fillUp(ballast),
    makeRoom: () => rm(ballast, { force: true }),
    async lift() {
      await rm(ballast, { force: true });
      await run('mkdir', ['--mode=0700', away]);
      await run('chown', [`${uid}:${gid}`, away]);
      await copy(folder, away);
      await run('umount', [folder]);
      await rm(folder, { recursive: true });
      await move(away, folder);
    },
  };
}

const move = (from: string, to: string) => run('mv', ['--no-target-directory', from, to]);
const copy = (from: string, to: string) => run('cp', ['--archive', `${from}/.`, to]);

async function fillUp(path: string): Promise<void> {
  await using file = await open(path, 'a');
  for (let size = 1 << 20; size >= 512; ) {
    const written = await file.write(Buffer.alloc(size)).catch(isFull);
    if (written === undefined) size >>= 1;
  }
}

function isFull(error: unknown): undefined {
  if ((error as { code?: string }).code !== 'ENOSPC') throw error;
}
