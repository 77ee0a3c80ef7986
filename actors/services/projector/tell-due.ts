import type { Transaction } from '../../../infra/ports/sql.ts';
import { append, dueReleases, markTold } from './store.ts';
import { tidingsOf } from './tell-release.ts';

/** Small enough that facts never wait long for the feed's lock; one race may bring more. */
const releasesPerRound = 50;
const eventsPerRound = 500;

/** Tells what is due, in the order of time; answers how much of it. Under the feed's lock. */
export async function tellDue(tx: Transaction): Promise<number> {
  let [releases, events] = [0, 0];
  for (const release of await dueReleases(tx, releasesPerRound)) {
    const told = await tidingsOf(tx, release);
    await append(tx, told);
    await markTold(tx, release);
    releases += 1;
    events += told.length;
    if (events >= eventsPerRound) break;
  }
  return releases;
}
