import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../../infra/ports/clock.ts';
import { type Announced, fetchFile } from '../transfer.ts';

/**
 * Where the pack lies, whole. It is kept by its hash for the next run; whatever else lies there is of a
 * suite or race that is over. A kept file is hashed before each use: one that the machine has damaged
 * would fail every run from then on, and reading it once more is little beside thirty tasks.
 */
export async function packFile(
  announced: Announced,
  folder: string,
  deps: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<string> {
  const name = `${announced.sha256}.tar.gz`;
  const path = join(folder, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const names = await readdir(folder);
  if (names.includes(name)) {
    if ((await sha256OfKept(path)) === announced.sha256) return path;
    await rm(path);
  }
  // Before: a disk that holds one pack and a half must hold the next one, too.
  for (const old of names) if (old !== name) await rm(join(folder, old), { force: true });
  await fetchFile(announced, path, deps);
  return path;
}

/** Undefined of a file that the machine does not give back, or not to us. */
async function sha256OfKept(path: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
  } catch {
    return undefined;
  }
  return hash.digest('hex');
}
