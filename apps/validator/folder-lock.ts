import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commandLineOf } from '../../infra/local/process-facts.ts';

/** Another validator works in the folder; both would send what the other one has queued. */
export class FolderTaken extends Error {
  override name = 'FolderTaken';
}

/**
 * Marks a data folder as this process's. The mark of a process that is gone, or that has become
 * another program, counts for nothing.
 *
 * @throws FolderTaken
 */
export async function lockFolder(folder: string, pid: number): Promise<AsyncDisposable> {
  const path = join(folder, 'validator.pid');
  const owner = Number(await readFile(path, 'utf8').catch(() => ''));
  const isOther = owner > 0 && owner !== pid;
  if (isOther && (await commandLineOf(owner)).includes('apps/validator/main.ts')) {
    throw new FolderTaken(
      `the validator of process ${owner} works in ${folder}: stop it, or give this one a VALIDATOR_DATA_DIR of its own`,
    );
  }
  await writeFile(path, String(pid), { mode: 0o600 });
  return { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
}
