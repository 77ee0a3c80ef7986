import { chown, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import type { ChildOptions } from './child.ts';
import { succeeds } from './parent-death.ts';

/**
 * PostgreSQL refuses to run as root, and a data folder must belong to who runs it. As root we run
 * it in a user namespace in which root's files belong to user 1; where that is forbidden (as in most
 * containers), as the user `postgres` or `nobody`. That user cannot enter a folder that is closed to
 * all but root, such as root's home, so it keeps the one right to pass. A folder once made is always
 * used the way it was made.
 */
export type PostgresUser = Pick<ChildOptions, 'through'> & { readonly owner?: UserIds };

interface UserIds {
  readonly uid: number;
  readonly gid: number;
}

const ourselves: PostgresUser = {};
const mapped: PostgresUser = {
  through: ['unshare', '--user', '--map-user=1', '--map-group=1', '--'],
};

export async function postgresUser(dataDir: string): Promise<PostgresUser> {
  if (process.getuid?.() !== 0) return ourselves;
  const owner = await ownerOf(dataDir);
  if (owner !== undefined && owner.uid !== 0) return await droppedTo(owner);
  const [unshare, ...args] = mapped.through ?? [];
  if (unshare !== undefined && (await succeeds(unshare, [...args, 'true']))) return mapped;
  return await droppedTo(await unprivilegedUser());
}

async function droppedTo(owner: UserIds): Promise<PostgresUser> {
  const ids = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'];
  // initdb asks with access(), which forgets rights after a change of user unless told otherwise.
  const passing = [
    '--securebits=+no_setuid_fixup',
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
  ];
  for (const through of [
    ['setpriv', ...passing, ...ids, '--'],
    ['setpriv', ...ids, '--'],
  ]) {
    const [command = '', ...args] = through;
    if (await succeeds(command, [...args, 'true'])) return { owner, through };
  }
  throw new Error(
    'PostgreSQL does not run as root, and this system lacks setpriv (of util-linux) to run it as another user: install it, or run as another user',
  );
}

/**
 * Hands a folder and all in it to the user that will run PostgreSQL; nothing where it has it already.
 * A folder that root made where root may map users is taken over this way where it may not.
 */
export async function giveTo({ owner }: PostgresUser, folder: string): Promise<void> {
  if (owner === undefined || (await ownerOf(folder))?.uid === owner.uid) return;
  for (const file of await readdir(folder, { recursive: true })) {
    await chown(join(folder, file), owner.uid, owner.gid);
  }
  // Last, as it is what tells that all is done.
  await chown(folder, owner.uid, owner.gid);
}

async function ownerOf(folder: string): Promise<UserIds | undefined> {
  try {
    const { uid, gid } = await stat(folder);
    return { uid, gid };
  } catch {
    return undefined;
  }
}

async function unprivilegedUser(): Promise<UserIds> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const wanted of ['postgres', 'nobody']) {
    const [, , uid, gid] = lines.find(([name]) => name === wanted) ?? [];
    if (uid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'PostgreSQL does not run as root, and there is no user "postgres" or "nobody" to run it: run as another user',
  );
}
