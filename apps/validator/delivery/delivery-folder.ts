import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeSynced } from '../write-synced.ts';
import { type Delivery, delivery } from './delivery.ts';

/**
 * Deliveries on disk, a file each, in the order in which they were put there.
 *
 * 1. What `put` has resolved for survives a kill of the process and of the machine.
 * 2. A file is whole or not there. One that cannot be read is set aside, and said.
 */
export interface DeliveryFolder {
  put(one: Delivery): Promise<string>;
  remove(name: string): Promise<void>;
  /** The oldest first. */
  readonly kept: readonly { readonly name: string; readonly delivery: Delivery }[];
  readonly unreadable: readonly string[];
}

const digits = 12;
const nameOf = (turn: number) => `${String(turn).padStart(digits, '0')}.json`;
const namePattern = /^\d{12}\.json$/;
/** Of a process that was killed while it wrote: nobody was told that it is kept. */
const asidePattern = /^\d{12}\.json\.new$/;

export async function openDeliveryFolder(folder: string): Promise<DeliveryFolder> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await readdir(folder);
  await Promise.all(
    found
      .filter((name) => asidePattern.test(name))
      .map((name) => rm(join(folder, name), { force: true }).catch(() => undefined)),
  );
  const names = found.filter((name) => namePattern.test(name)).toSorted();
  const kept: { readonly name: string; readonly delivery: Delivery }[] = [];
  const unreadable: string[] = [];
  for (const name of names) {
    const read = await readOne(join(folder, name));
    if (read !== undefined) kept.push({ name, delivery: read });
    else {
      unreadable.push(name);
      await rename(join(folder, name), join(folder, `${name}.unreadable`));
    }
  }
  let turn = Number(names.at(-1)?.slice(0, digits) ?? 0);

  return {
    kept,
    unreadable,
    async put(one) {
      turn += 1;
      const name = nameOf(turn);
      await writeSynced(join(folder, name), JSON.stringify(one));
      return name;
    },
    remove: (name) => rm(join(folder, name), { force: true }),
  };
}

async function readOne(path: string): Promise<Delivery | undefined> {
  try {
    return delivery.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}
