import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Survives a kill of the process and of the machine once it resolves, and is never seen half written: it is
 * written aside, synced, renamed, and the folder is synced.
 */
export async function writeSynced(path: string, text: string): Promise<void> {
  const aside = `${path}.new`;
  await using file = await open(aside, 'w', 0o600);
  await file.writeFile(text);
  await file.sync();
  await rename(aside, path);
  await using folder = await open(dirname(path), 'r');
  await folder.sync();
}
