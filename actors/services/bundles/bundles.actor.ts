import type { Clock } from '../../../infra/ports/clock.ts';
import type { Service } from '../../../infra/ports/lifecycle.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import type { ObjectStore } from '../../../infra/ports/object-store.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { ArchiveText } from '../../../infra/ports/text-archive.ts';
import { createRounds } from '../rounds.ts';
import { bundleKey } from './bundle-key.ts';
import { raceText } from './race-text.ts';
import { insertBundle, unbundledRaces } from './store.ts';

export interface BundleDeps {
  readonly sql: Sql;
  readonly objects: ObjectStore;
  readonly archive: ArchiveText;
  readonly signer: { readonly publicKey: string; sign(message: Uint8Array): string };
  readonly clock: Clock;
  readonly log: Logger;
}

const everyMs = 3_000;
const racesPerRound = 20;

/**
 * Publishes one bundle for each race whose detail is released. Every coordinator looks for them; two
 * that build the same one build the same bytes, and the first row stays.
 */
export function createBundlePublisher(deps: BundleDeps): Service {
  // Those that cannot be published stay the oldest: behind them the next round goes on, to the end and anew.
  let last: string | null = null;
  return createRounds(deps.clock, everyMs, async (stopping) => {
    last = await publishDue(deps, stopping, last);
  });
}

/** One that fails stands in no other's way. Answers behind which race to go on. Never rejects. */
async function publishDue(
  deps: BundleDeps,
  stopping: AbortSignal,
  after: string | null,
): Promise<string | null> {
  const { sql, log } = deps;
  const tried = async (work: () => Promise<unknown>) => {
    if (stopping.aborted) return;
    try {
      await work();
    } catch (error) {
      log.warn('a race bundle could not be published; the next round tries again', { error });
    }
  };
  let next: string | null = null;
  await tried(async () => {
    const raceIds = await unbundledRaces(sql, racesPerRound, after);
    for (const raceId of raceIds) await tried(() => publishBundle(deps, raceId));
    if (raceIds.length === racesPerRound) next = raceIds.at(-1) ?? null;
  });
  return next;
}

export async function publishBundle(
  deps: Omit<BundleDeps, 'clock'>,
  raceId: string,
): Promise<void> {
  const { sql, objects, archive, signer, log } = deps;
  await using file = await archive(raceText(sql, raceId));
  const { sha256, sizeBytes } = file;
  const options = { contentType: 'application/gzip', sha256 };
  await objects.putFileOnce(bundleKey(sha256), file.path, options);
  const signature = signer.sign(Buffer.from(sha256, 'hex'));
  const { publicKey } = signer;
  const isFirst = await insertBundle(sql, { raceId, sha256, sizeBytes, signature, publicKey });
  if (isFirst) log.info('race bundle published', { raceId, sha256, sizeBytes });
}
