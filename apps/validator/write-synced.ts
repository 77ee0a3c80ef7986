import { open, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Survives a kill of the process and of the machine once it resolves, and is never seen half written: it is
 * written aside, synced, renamed, and the folder is synced.
 */
export async function writeSynced(path: string, text: string): Promise<void> {
  const aside = `${path}.new`;
  await writeFile(aside, text, { mode: 0o600 });
  await renameSynced(aside, path);
}

/** The same for a file that was written aside by other means. */
export async function renameSynced(aside: string, path: string): Promise<void> {
  await using file = await open(aside, 'r+');
  await file.sync();
  await rename(aside, path);
  await using folder = await open(dirname(path), 'r');
  await folder.sync();
}
