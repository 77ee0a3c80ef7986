import type { Logger } from '../../../infra/ports/log.ts';
import type { Transaction } from '../../../infra/ports/sql.ts';
import { withSavepoint } from '../savepoint.ts';
import { append, type DueRelease, dueCode, markTold, putOff } from './store.ts';
import { codeReleased } from './tell-release.ts';

/** Small enough that facts never wait long for the feed's lock. */
const releasesPerRound = 50;
/** What passes by itself is over soon; what does not is logged once a minute. */
const putOffMs = { first: 1_000, most: 60_000 };

/**
 * Tells the public of the code that is due, in the order of time, each release for itself: one that cannot be told is
 * put off, ever longer, and the others go on. It stays due in the database, where whoever looks for what is stuck
 * finds it. Answers of how many releases. Under the feed's lock.
 */
export async function tellDue(
  tx: Transaction,
  log: Pick<Logger, 'error'>,
): Promise<{ readonly told: number; readonly failed: number }> {
  let [told, failed] = [0, 0];
  for (const release of await dueCode(tx, releasesPerRound)) {
    const outcome = await withSavepoint(tx, async () => {
      await append(tx, [await codeReleased(tx, release)]);
      await markTold(tx, release);
    });
    if ('error' in outcome) {
      failed += 1;
      await putOffUntold(tx, log, { release, error: outcome.error });
    } else {
      told += 1;
    }
  }
  return { told, failed };
}

export async function putOffUntold(
  tx: Transaction,
  log: Pick<Logger, 'error'>,
  { release, error }: { readonly release: DueRelease; readonly error: unknown },
): Promise<void> {
  const { kind, id, failures } = release;
  const waitMs = Math.min(putOffMs.first * 2 ** failures, putOffMs.most);
  await putOff(tx, release, waitMs);
  log.error('a release cannot be told; the others go on', { kind, id, waitMs, error });
}
