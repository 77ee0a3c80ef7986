import { appendFile, cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { type LocalPostgres, startPostgres } from '../../infra/local/postgres.ts';
import { selfSigned } from './self-signed.ts';
import { temporaryFolder } from './temporary-servers.ts';

type Test = Pick<ExecutionContext, 'teardown'>;

export interface TlsPostgres extends LocalPostgres {
  /** Of `localhost`, in PEM; vouched for by itself. */
  readonly certificate: string;
}

/** A server that is spoken to with TLS or without. */
export async function tlsPostgres(): Promise<TlsPostgres> {
  const folder = await temporaryFolder();
  const dataDir = join(folder, 'data');
  const { certificate, key } = selfSigned('localhost');
  await (await startPostgres({ dataDir, fsync: false })).stop();
  await writeFile(join(dataDir, 'server.crt'), certificate);
  await writeFile(join(dataDir, 'server.key'), key, { mode: 0o600 });
  await appendFile(join(dataDir, 'postgresql.conf'), '\nssl = on\n');
  const server = await startPostgres({ dataDir, fsync: false });
  const stop = async () => {
    await server.stop();
    await remove(folder);
  };
  return { ...server, certificate, stop };
}

export interface Pair {
  readonly primary: LocalPostgres;
  /** A replica of it, which may be promoted; it hears of nothing that is written after its start. */
  readonly standby: LocalPostgres;
}

export async function primaryAndStandby(t: Test): Promise<Pair> {
  const [first, second] = [await dataFolder(t), await dataFolder(t)];
  await (await startPostgres({ dataDir: first, fsync: false })).stop();
  await cp(first, second, { recursive: true });
  await writeFile(join(second, 'standby.signal'), '');
  const primary = await startPostgres({ dataDir: first, fsync: false });
  t.teardown(() => primary.stop());
  const standby = await startPostgres({ dataDir: second, fsync: false });
  t.teardown(() => standby.stop());
  return { primary, standby };
}

async function dataFolder(t: Test): Promise<string> {
  const folder = await temporaryFolder();
  t.teardown(() => remove(folder));
  return join(folder, 'data');
}

async function remove(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}
