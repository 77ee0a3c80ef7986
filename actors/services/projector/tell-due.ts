import type { Clock } from '../../../infra/ports/clock.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import type { Transaction } from '../../../infra/ports/sql.ts';
import { withSavepoint } from '../savepoint.ts';
import { append, type DueRelease, dueReleases, markTold } from './store.ts';
import { tidingsOf } from './tell-release.ts';

/** Small enough that facts never wait long for the feed's lock; one race may bring more. */
const releasesPerRound = 50;
const eventsPerRound = 500;
/** What passes by itself is over soon; what does not is logged once a minute. */
const putOffMs = { first: 1_000, most: 60_000 };

interface PutOff {
  readonly untilMs: number;
  readonly waitMs: number;
}

/**
 * Tells the public what is due, each release for itself: one that cannot be told is put off by this process,
 * ever longer, and the others go on. It stays due in the database, where whoever looks for what is stuck
 * finds it.
 */
export class ReleaseTeller {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #putOff = new Map<string, PutOff>();

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Something is due that this process will try later. */
  get hasPutOff(): boolean {
    return this.#keysPutOff().length > 0;
  }

  /** In the order of time; answers of how many releases. Under the feed's lock. */
  async tellDue(tx: Transaction): Promise<{ readonly told: number; readonly failed: number }> {
    let [told, failed, events] = [0, 0, 0];
    for (const release of await dueReleases(tx, releasesPerRound, this.#keysPutOff())) {
      const outcome = await withSavepoint(tx, () => tell(tx, release));
      if ('error' in outcome) {
        failed += 1;
        this.#delay(release, outcome.error);
        continue;
      }
      this.#putOff.delete(keyOf(release));
      told += 1;
      events += outcome.value;
      if (events >= eventsPerRound) break;
    }
    return { told, failed };
  }

  #delay(release: DueRelease, error: unknown): void {
    const { kind, id } = release;
    const before = this.#putOff.get(keyOf(release))?.waitMs ?? putOffMs.first / 2;
    const waitMs = Math.min(2 * before, putOffMs.most);
    this.#putOff.set(keyOf(release), { untilMs: this.#clock.monotonicMs() + waitMs, waitMs });
    this.#log.error('a release cannot be told; the others go on', { kind, id, waitMs, error });
  }

  #keysPutOff(): readonly string[] {
    const nowMs = this.#clock.monotonicMs();
    for (const [key, { untilMs }] of this.#putOff) {
      // Tried since, or another process told it.
      if (untilMs + putOffMs.most < nowMs) this.#putOff.delete(key);
    }
    return [...this.#putOff].filter(([, { untilMs }]) => untilMs > nowMs).map(([key]) => key);
  }
}

/** Answers how many events it was. */
async function tell(tx: Transaction, release: DueRelease): Promise<number> {
  const told = await tidingsOf(tx, release);
  await append(tx, told);
  await markTold(tx, release);
  return told.length;
}

/** As `dueReleases` takes it. */
function keyOf({ kind, id }: DueRelease): string {
  return `${kind} ${id}`;
}
