import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { startPostgres } from '../../infra/local/postgres.ts';
import { migrate } from '../../infra/postgres/migrate.ts';
import { temporaryFolder } from './temporary-servers.ts';

/** A migrated database on a server of its own, which can go away and come back with all it had. */
export interface MortalDatabase {
  readonly url: string;
  stop(): Promise<void>;
  /** At the same address. */
  start(): Promise<void>;
}

export async function mortalDatabase(t: ExecutionContext): Promise<MortalDatabase> {
  const folder = await temporaryFolder();
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));
  const plan = { dataDir: join(folder, 'data'), fsync: false };
  let server = await startPostgres(plan);
  t.teardown(() => server.stop());
  await migrate(server.url);
  const { port, url } = server;
  return {
    url,
    stop: () => server.stop(),
    start: async () => {
      server = await startPostgres({ ...plan, port });
    },
  };
}
