import { open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Survives a kill of the process and of the machine once it resolves, and is never seen half written: it is
 * written aside, synced, renamed, and the folder is synced. Where it fails nothing is left aside: a disk that was
 * full would stay so.
 */
export async function writeSynced(path: string, text: string): Promise<void> {
  const aside = `${path}.new`;
  try {
    await writeFile(aside, text, { mode: 0o600 });
    await renameSynced(aside, path);
  } catch (error) {
    await rm(aside, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** The same for a file that was written aside by other means. */
export async function renameSynced(aside: string, path: string): Promise<void> {
  await using file = await open(aside, 'r+');
  await file.sync();
  await rename(aside, path);
  await using folder = await open(dirname(path), 'r');
  await folder.sync();
}
