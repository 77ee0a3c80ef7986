import type { Clock } from '../../infra/ports/clock.ts';
import type {
  CommitBatch,
  CommitOutcome,
  OwnedBatch,
  PartitionStore,
  PartitionToken,
} from '../../infra/ports/partition-store.ts';

interface Waiting extends OwnedBatch {
  readonly resolve: (outcome: CommitOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/** What is larger is written by itself: it would only make others wait, and gains nothing by them. */
const eventsMax = 64;
const bytesMax = 32 * 1024;
/** Of one statement together: written well within its timeout. */
const batchesAtOnce = 64;
const eventsAtOnce = 512;
const bytesAtOnce = 256 * 1024;
/** What waits for longer than this waits for a lock, a disk or a line that has gone, and not for company. */
const patienceMs = 25;

/**
 * Commits of the partitions of one kind: those that are ready in the same turn, or while the last of
 * them are still being written, are written by one statement.
 */
export class SharedCommits {
  readonly #store: Pick<PartitionStore, 'commit' | 'commitAll'>;
  readonly #clock: Clock;
  readonly #gatherMs: number;
  #waiting: Waiting[] = [];
  /** What is being written, as long as it is worth waiting for. */
  #writing: AbortController | undefined;
  #isTurnEnding = false;

  constructor(
    store: Pick<PartitionStore, 'commit' | 'commitAll'>,
    clock: Clock,
    { gatherCommitsMs }: { readonly gatherCommitsMs: number },
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#gatherMs = gatherCommitsMs;
  }

  commit(token: PartitionToken, batch: CommitBatch): Promise<CommitOutcome> {
    if (!fits([], { token, batch }, { events: eventsMax, bytes: bytesMax })) {
      return this.#store.commit(token, batch);
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ token, batch, resolve, reject });
      this.#begin();
    });
  }

  #begin(): void {
    if (this.#writing !== undefined || this.#isTurnEnding || this.#waiting.length === 0) return;
    this.#isTurnEnding = true;
    const end = () => {
      this.#isTurnEnding = false;
      void this.#write(this.#take());
    };
    // Not before everybody has decided who can do so without any more news.
    if (this.#gatherMs === 0) process.nextTick(end);
    else void this.#clock.sleep(this.#gatherMs).then(end);
  }

  #take(): Waiting[] {
    const taken: Waiting[] = [];
    for (const next of this.#waiting) {
      if (taken.length === batchesAtOnce) break;
      if (!fits(taken, next, { events: eventsAtOnce, bytes: bytesAtOnce })) break;
      taken.push(next);
    }
    this.#waiting = this.#waiting.slice(taken.length);
    return taken;
  }

  async #write(batches: readonly Waiting[]): Promise<void> {
    const writing = new AbortController();
    this.#writing = writing;
    const next = () => {
      if (this.#writing !== writing) return;
      this.#writing = undefined;
      this.#begin();
    };
    void this.#clock.sleep(patienceMs, writing.signal).then(next);
    try {
      await this.#store.commitAll(batches, ({ resolve }, outcome) => resolve(outcome));
    } catch (error) {
      for (const { reject } of batches) reject(error);
    }
    writing.abort();
    next();
  }
}

function fits(
  taken: readonly OwnedBatch[],
  next: OwnedBatch,
  limit: { readonly events: number; readonly bytes: number },
): boolean {
  const all = [...taken, next];
  const events = all.reduce((sum, { batch }) => sum + batch.events.length, 0);
  const bytes = all.reduce((sum, { batch }) => sum + batch.sizeBytes, 0);
  return events <= limit.events && bytes <= limit.bytes;
}
