import type { Transaction } from '../../../infra/ports/sql.ts';
import { append, dueReleases, markTold } from './store.ts';
import { tidingsOf } from './tell-release.ts';

/** Small enough that facts never wait long for the feed's lock. */
const releasesPerRound = 50;

/** Tells what is due, in the order of time; answers how much there was. Under the feed's lock. */
export async function tellDue(tx: Transaction): Promise<number> {
  const due = await dueReleases(tx, releasesPerRound);
  for (const release of due) {
    await append(tx, await tidingsOf(tx, release));
    await markTold(tx, release);
  }
  return due.length;
}
