import { chown, readFile, stat } from 'node:fs/promises';
import process from 'node:process';
import type { ChildOptions } from './child.ts';
import { succeeds } from './parent-death.ts';

/**
 * PostgreSQL refuses to run as root, and a data folder must belong to who runs it. As root we run
 * it in a user namespace in which root's files belong to user 1; where that is forbidden, as the
 * user `postgres` or `nobody`. A folder once made is always used the way it was made.
 */
export type PostgresUser = Pick<ChildOptions, 'through' | 'user'>;

const ourselves: PostgresUser = {};
const mapped: PostgresUser = {
  through: ['unshare', '--user', '--map-user=1', '--map-group=1', '--'],
};

export async function postgresUser(dataDir: string): Promise<PostgresUser> {
  if (process.getuid?.() !== 0) return ourselves;
  const owner = await ownerOf(dataDir);
  if (owner !== undefined && owner.uid !== 0) return { user: owner };
  const [unshare, ...args] = mapped.through ?? [];
  if (unshare !== undefined && (await succeeds(unshare, [...args, 'true']))) return mapped;
  return { user: await unprivilegedUser() };
}

/** Hands a folder that we made to the user that will run PostgreSQL. */
export async function giveTo({ user }: PostgresUser, folder: string): Promise<void> {
  if (user !== undefined) await chown(folder, user.uid, user.gid);
}

async function ownerOf(folder: string): Promise<PostgresUser['user']> {
  try {
    const { uid, gid } = await stat(folder);
    return { uid, gid };
  } catch {
    return undefined;
  }
}

async function unprivilegedUser(): Promise<NonNullable<PostgresUser['user']>> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const wanted of ['postgres', 'nobody']) {
    const [, , uid, gid] = lines.find(([name]) => name === wanted) ?? [];
    if (uid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'PostgreSQL does not run as root, and there is no user "postgres" or "nobody" to run it: run as another user',
  );
}
