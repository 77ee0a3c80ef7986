import { rename, rm, writeFile } from 'node:fs/promises';
import type { Neighbours } from './embedded.ts';
import type { RunningService } from './start-service.ts';

/** What programs read once the world is up (contract, "Running it"). One line, no line end. */
export function readyLine(
  dataDir: string,
  neighbours: Neighbours,
  service: RunningService,
): string {
  return JSON.stringify({
    ready: true,
    base_url: service.baseUrls[0],
    operator_token: service.operatorToken,
    database_url: neighbours.databaseUrl,
    nats_url: neighbours.natsUrl,
    s3_endpoint: neighbours.s3Endpoint,
    chain_url: neighbours.chainUrl,
    data_dir: dataDir,
    base_urls: service.baseUrls,
    pids: {
      edge: service.edges.map(({ pid }) => pid),
      coordinator: service.coordinators.map(({ pid }) => pid),
      ...neighbours.pids,
    },
  });
}

/** What an earlier start said: its addresses are nobody's, or will be another one's. */
export async function forgetReadyFile(path: string): Promise<void> {
  await rm(path, { force: true });
}

/** Written aside and renamed, so that who waits for the file never reads half of it. */
export async function writeReadyFile(path: string, line: string): Promise<void> {
  await writeFile(`${path}.new`, `${line}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}
