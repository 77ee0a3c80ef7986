import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commandLineOf } from './process-facts.ts';

/** Another process of the same program works in the folder, and both would write the same files. */
export class FolderTaken extends Error {
  override name = 'FolderTaken';
}

export interface FolderUser {
  /** What people call it; the mark's name begins with it. */
  readonly name: 'service' | 'validator';
  readonly pid: number;
  /** Part of the command line of whoever runs it. */
  readonly program: string;
  /** What to do where the other one is to go on. */
  readonly otherwise: string;
}

/**
 * Marks a data folder as this process's. The mark of a process that is gone, or that has become
 * another program, counts for nothing.
 *
 * @throws FolderTaken
 */
export async function lockFolder(folder: string, user: FolderUser): Promise<AsyncDisposable> {
  const { name, pid, program, otherwise } = user;
  const path = join(folder, `${name}.pid`);
  const owner = Number(await readFile(path, 'utf8').catch(() => ''));
  const isOther = owner > 0 && owner !== pid;
  if (isOther && (await commandLineOf(owner)).includes(program)) {
    throw new FolderTaken(
      `the ${name} of process ${owner} works in ${folder}: stop it, or ${otherwise}`,
    );
  }
  await writeFile(path, String(pid), { mode: 0o600 });
  return { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
}
