import type { Clock } from '../../../infra/ports/clock.ts';

interface Entry<V> {
  readonly value: Promise<V>;
  readonly askedMs: number;
}

/**
 * Remembers answers for a moment and asks once for those who ask at the same time. An answer's age
 * counts from when it was asked for, so nothing older than `keepMs` is ever told.
 */
export class BriefCache<V> {
  readonly #entries = new Map<string, Entry<V>>();
  readonly #keepMs: number;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #load: (key: string) => Promise<V>;

  constructor(options: {
    readonly keepMs: number;
    readonly clock: Pick<Clock, 'monotonicMs'>;
    readonly load: (key: string) => Promise<V>;
  }) {
    this.#keepMs = options.keepMs;
    this.#clock = options.clock;
    this.#load = options.load;
  }

  async get(key: string): Promise<V> {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#entries.get(key);
    if (known !== undefined && nowMs - known.askedMs < this.#keepMs) return await known.value;
    this.#dropOutdated(nowMs);
    const entry = { value: this.#load(key), askedMs: nowMs };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    // A failure is nobody's answer but theirs who waited for it.
    entry.value.catch(() => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    });
    return await entry.value;
  }

  forget(key: string): void {
    this.#entries.delete(key);
  }

  /** The map's order is that of asking, so the outdated ones stand in front. */
  #dropOutdated(nowMs: number): void {
    for (const [key, { askedMs }] of this.#entries) {
      if (nowMs - askedMs < this.#keepMs) return;
      this.#entries.delete(key);
    }
  }
}
