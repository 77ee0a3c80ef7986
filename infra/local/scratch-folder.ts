import { chmod, lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { isRunning } from './is-running.ts';

const folders = new Map<string, Promise<string>>();

/**
 * Where this process keeps what it writes for a moment, packs above all. Folders of processes of its name
 * that were killed before they could remove theirs are gone then: a temporary folder may outlive a restart.
 *
 * A process of the same name that still runs keeps its own. The pid of one that ended may be another's by
 * now; then its folder goes with a later start.
 */
export function scratchFolder(processName: string): Promise<string> {
  const known = folders.get(processName);
  if (known !== undefined) return known;
  const made = makeFolder(processName);
  folders.set(processName, made);
  return made;
}

/**
 * A folder for one piece of work. Whoever clears temporary folders by age may have taken the one above, and
 * somebody else may have been the first to make one of its name.
 */
export async function scratchFor(scratch: string, prefix: string): Promise<string> {
  await openRoot();
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  return await mkdtemp(join(scratch, prefix));
}

async function makeFolder(processName: string): Promise<string> {
  const folder = join(await openRoot(), processName);
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    if (isLeftBehind(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
  return await mkdtemp(join(folder, `${process.pid}-`));
}

/** Of all scratch folders of this user. Everybody may write where it lies, so it may be somebody else's trap. */
async function openRoot(): Promise<string> {
  const root = join(tmpdir(), `paddock-${process.getuid?.() ?? 0}`);
  await mkdir(root, { recursive: true, mode: 0o700 });
  const found = await lstat(root);
  if (!found.isDirectory() || found.uid !== (process.getuid?.() ?? found.uid)) {
    throw new Error(`${root} is not a folder of this user: remove it`);
  }
  await chmod(root, 0o700);
  return root;
}

/** Of a process of our own pid too, which is not this one: this one asks once. */
function isLeftBehind(name: string): boolean {
  const [, digits] = /^(\d{1,10})-/.exec(name) ?? [];
  if (digits === undefined) return false;
  return Number(digits) === process.pid || !isRunning(Number(digits));
}
