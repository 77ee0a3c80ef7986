import { access, open, readdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { randomHex } from '../ids/ids.ts';

/** Another process of the same program works in the folder, and both would write the same files. */
export class FolderTaken extends Error {
  override name = 'FolderTaken';
}

/** The folder lies where no socket can be, as on a network share of Windows or a USB stick. */
export class FolderUnfit extends Error {
  override name = 'FolderUnfit';
}

export interface FolderUser {
  /** What people call it; its mark in the folder begins with it. */
  readonly name: 'service' | 'validator';
  /** By which people choose the folder. */
  readonly setting: string;
}

/**
 * Marks a data folder as this process's, by a socket in it on which it listens.
 *
 * 1. Who listens lives, whatever namespaces it has: a number of a process says nothing in another container or
 *    after a reboot, and the kernel answers for one that stands still.
 * 2. No two hold a folder. Each listens first, under a name of its own that is never used again, and looks at the
 *    others then: the later of two finds the earlier one. Who is between its name and its listening looks dead,
 *    and its name may be removed; so a name that is gone at the end of the look is a folder not held.
 * 3. Two that start in the same moment may both be refused; a socket says nothing to another machine.
 *
 * @throws FolderTaken, FolderUnfit
 */
export async function lockFolder(folder: string, user: FolderUser): Promise<AsyncDisposable> {
  const opened = await open(folder, 'r');
  // By its descriptor where that has a name, for the address of a socket has no more than 107 bytes.
  const within = process.platform === 'linux' ? `/proc/self/fd/${opened.fd}` : folder;
  const pathOf = (name: string) => join(within, name);
  const pattern = new RegExp(`^${user.name}-[\\w-]+\\.socket$`);
  const own = `${user.name}-${randomHex(6)}.socket`;
  const server = await listening(pathOf(own)).catch(async (error: unknown) => {
    await opened.close();
    throw takesNoSockets(error) ? unfit(folder, user, error) : error;
  });
  const free = async () => {
    await closed(server);
    await opened.close();
  };
  try {
    const others = (await readdir(folder)).filter((name) => pattern.test(name) && name !== own);
    const isAnyLive = (await Promise.all(others.map((name) => isLive(pathOf(name))))).includes(
      true,
    );
    if (isAnyLive || !(await isThere(pathOf(own)))) throw taken(folder, user);
    await Promise.all(others.map((name) => rm(pathOf(name), { force: true })));
  } catch (error) {
    await free();
    throw error;
  }
  return { [Symbol.asyncDispose]: free };
}

function taken(folder: string, { name, setting }: FolderUser): FolderTaken {
  return new FolderTaken(
    `another ${name} works in ${folder}: stop it, or give this one a ${setting} of its own`,
  );
}

/** As SMB, exFAT and file systems of a user's own have it; a right that is missing is EACCES. */
const noSockets: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL']);

function takesNoSockets(error: unknown): boolean {
  return noSockets.has(Reflect.get(Object(error), 'code'));
}

function unfit(folder: string, { setting }: FolderUser, cause: unknown): FolderUnfit {
  const said = `the file system of ${folder} takes no sockets: put ${setting} on a local disk`;
  return new FolderUnfit(said, { cause });
}

async function listening(path: string): Promise<Server> {
  const server = createServer((asking) => asking.destroy());
  // It keeps no process from its end.
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  return server;
}

/** Its name is gone then. */
async function closed(server: Server): Promise<void> {
  await new Promise((resolve) => server.close(resolve));
}

/** Only what the kernel calls dead is: one that may not be asked, or has no room for a question, lives. */
async function isLive(path: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => {
      resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT');
    });
  });
}

async function isThere(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
