import type { Kernel } from '../kernel/kernel.ts';
import type { Prng } from '../kernel/prng.ts';
import type { Commit, CommittedEvent } from '../oracle/commit-model.ts';
import type { Weather } from './weather.ts';

/** Locks that others hold at the worst of moments: until just after a lease has ended. */
export class LockWaits {
  readonly #kernel: Kernel;
  readonly #random: Prng;
  readonly #weather: Weather;
  readonly #promisedMs: ReadonlyMap<string, number>;

  constructor(kernel: Kernel, weather: Weather, promisedMs: ReadonlyMap<string, number>) {
    this.#kernel = kernel;
    this.#random = kernel.randomFor('locks');
    this.#weather = weather;
    this.#promisedMs = promisedMs;
  }

  /** Milliseconds from the sending of the statement to its locks. */
  of(statement: string, commits: readonly Pick<Commit, 'events'>[]): number {
    if (statement === 'commit') return this.#ofEvents(commits.flatMap(({ events }) => events));
    const isFlush = statement === 'flush_run_beat' && this.#weather.hasLateFlushes;
    return isFlush && this.#random.happens(500) ? this.#random.between(2_000, 9_000) : 0;
  }

  #ofEvents(events: readonly CommittedEvent[]): number {
    const nowMs = this.#kernel.domainNowMs;
    for (const { machine, key } of events) {
      if (machine !== 'evaluation-run') continue;
      const leftMs = (this.#promisedMs.get(key) ?? 0) - nowMs;
      if (leftMs <= 0 || leftMs > worstMs) continue;
      if (this.#random.happens(700)) return leftMs + this.#random.between(2, 500);
    }
    return 0;
  }
}

/** Longer waits happen too, but would only hold everybody up. */
const worstMs = 600;
