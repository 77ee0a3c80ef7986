import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from '../../infra/local/is-running.ts';
import type { LocalNats } from '../../infra/local/nats.ts';
import { startNats } from '../../infra/local/nats.ts';
import type { LocalPostgres, PostgresOptions } from '../../infra/local/postgres.ts';
import { startPostgres } from '../../infra/local/postgres.ts';

// Servers for tests: in a temporary folder that goes when they stop, and without fsync, because
// a crash of the whole machine is the one fault that no test makes.

interface Folder {
  readonly folder: string;
}

/** `options` go to the launcher; name a port to start again where another server was. */
export async function temporaryPostgres(
  options: Pick<PostgresOptions, 'port' | 'settings'> = {},
): Promise<LocalPostgres & Folder> {
  const folder = await temporaryFolder();
  const server = await startPostgres({
    ...options,
    dataDir: join(folder, 'data'),
    fsync: false,
    // One server for all test files that run at a time, some of them with several services.
    maxConnections: 800,
  });
  return { ...server, folder, stop: () => stopAndRemove(server, folder) };
}

export async function temporaryNats(options: { port?: number } = {}): Promise<LocalNats & Folder> {
  const folder = await temporaryFolder();
  const { PADDOCK_TEST_NATS_BIN: serverBin } = process.env;
  const found = serverBin === undefined ? {} : { serverBin };
  const server = await startNats({ ...options, ...found, storeDir: folder, fsync: false });
  return { ...server, folder, stop: () => stopAndRemove(server, folder) };
}

async function stopAndRemove(server: { stop(): Promise<void> }, folder: string): Promise<void> {
  await server.stop();
  // Workers of a killed PostgreSQL may still be leaving.
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}

const prefix = 'paddock-test-';

/** Goes with the next test run when this process is killed before it removes it. */
export async function temporaryFolder(): Promise<string> {
  await removeLeftovers();
  return mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
}

/** Folders of test processes that were killed before they could clean up. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(prefix)) continue;
    const pid = Number.parseInt(name.slice(prefix.length), 10);
    if (Number.isNaN(pid) || isRunning(pid)) continue;
    await rm(join(tmpdir(), name), { recursive: true, force: true });
  }
}
