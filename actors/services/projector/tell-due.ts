import type { Logger } from '../../../infra/ports/log.ts';
import type { Transaction } from '../../../infra/ports/sql.ts';
import { withSavepoint } from '../savepoint.ts';
import { append, type DueRelease, dueReleases, markTold, putOff } from './store.ts';
import { tidingsOf } from './tell-release.ts';

/** Small enough that facts never wait long for the feed's lock; one race may bring more. */
const releasesPerRound = 50;
const eventsPerRound = 500;
/** What passes by itself is over soon; what does not is logged once a minute. */
const putOffMs = { first: 1_000, most: 60_000 };

/**
 * Tells the public what is due, in the order of time, each release for itself: one that cannot be told is put
 * off, ever longer, and the others go on. It stays due in the database, where whoever looks for what is stuck
 * finds it. Answers of how many releases. Under the feed's lock.
 */
export async function tellDue(
  tx: Transaction,
  log: Pick<Logger, 'error'>,
): Promise<{ readonly told: number; readonly failed: number }> {
  let [told, failed, events] = [0, 0, 0];
  for (const release of await dueReleases(tx, releasesPerRound)) {
    const outcome = await withSavepoint(tx, () => tell(tx, release));
    if ('error' in outcome) {
      failed += 1;
      const { kind, id } = release;
      const waitMs = Math.min(putOffMs.first * 2 ** release.failures, putOffMs.most);
      await putOff(tx, release, waitMs);
      const { error } = outcome;
      log.error('a release cannot be told; the others go on', { kind, id, waitMs, error });
      continue;
    }
    told += 1;
    events += outcome.value;
    if (events >= eventsPerRound) break;
  }
  return { told, failed };
}

/** Answers how many events it was. */
async function tell(tx: Transaction, release: DueRelease): Promise<number> {
  const told = await tidingsOf(tx, release);
  await append(tx, told);
  await markTold(tx, release);
  return told.length;
}
