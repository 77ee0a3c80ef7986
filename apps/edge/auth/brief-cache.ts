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
  /** Asked for since the last turn, and before it but after the one before: those may be good yet. */
  #young = new Map<string, Entry<V>>();
  #old = new Map<string, Entry<V>>();
  #turnedMs = Number.NEGATIVE_INFINITY;
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

  get(key: string): Promise<V> {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#young.get(key) ?? this.#old.get(key);
    if (known !== undefined && nowMs - known.askedMs < this.#keepMs) return known.value;
    this.#turn(nowMs);
    const entry = { value: this.#load(key), askedMs: nowMs };
    this.#young.set(key, entry);
    // A failure is nobody's answer but theirs who waited for it.
    entry.value.catch(() => {
      for (const entries of [this.#young, this.#old]) {
        if (entries.get(key) === entry) entries.delete(key);
      }
    });
    return entry.value;
  }

  forget(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  /** Nothing is looked through: what stands among the old at the next turn is outdated altogether. */
  #turn(nowMs: number): void {
    if (nowMs - this.#turnedMs < this.#keepMs) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#turnedMs = nowMs;
  }
}
