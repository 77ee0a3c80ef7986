import { access, open, readdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { randomId } from '../../infra/ids/ids.ts';

/** Another validator works in the folder; both would send what the other one has queued. */
export class FolderTaken extends Error {
  override name = 'FolderTaken';
}

/** The folder lies where no socket can be, as on a network share of Windows or a USB stick. */
export class FolderUnfit extends Error {
  override name = 'FolderUnfit';
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
export async function lockFolder(folder: string): Promise<AsyncDisposable> {
  // By its descriptor, for the address of a socket has no more than 107 bytes.
  const opened = await open(folder, 'r');
  const pathOf = (name: string) => `/proc/self/fd/${opened.fd}/${name}`;
  const own = `validator-${randomId()}.socket`;
  const server = await listening(pathOf(own)).catch(async (error: unknown) => {
    await opened.close();
    throw takesNoSockets(error) ? unfit(folder, error) : error;
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
    if (isAnyLive || !(await isThere(pathOf(own)))) throw taken(folder);
    await Promise.all(others.map((name) => rm(pathOf(name), { force: true })));
  } catch (error) {
    await free();
    throw error;
  }
  return { [Symbol.asyncDispose]: free };
}

const pattern = /^validator-[\w-]+\.socket$/;

function taken(folder: string): FolderTaken {
  return new FolderTaken(
    `another validator works in ${folder}: stop it, or give this one a VALIDATOR_DATA_DIR of its own`,
  );
}

/** As SMB, exFAT and file systems of a user's own have it; a right that is missing is EACCES. */
const noSockets: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL']);

function takesNoSockets(error: unknown): boolean {
  return noSockets.has(Reflect.get(Object(error), 'code'));
}

function unfit(folder: string, cause: unknown): FolderUnfit {
  const said = `the file system of ${folder} takes no sockets: put VALIDATOR_DATA_DIR on a local disk`;
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
