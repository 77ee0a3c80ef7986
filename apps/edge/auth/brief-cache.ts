import type { Clock } from '../../../infra/ports/clock.ts';

interface Entry<V> {
  readonly value: Promise<V>;
  readonly askedMs: number;
  isDue: boolean;
}

/** Of what is asked for again and again, the answers that reach half their time are renewed this often. */
const renewals = 5;

/**
 * Remembers answers for a moment and asks once for those who ask at the same time. An answer's age
 * counts from when it was asked for, so nothing older than `keepMs` is ever told.
 *
 * What is asked for in the second half of its time is renewed before it ends, together with all others
 * that are: nobody waits for it, and `load` hears of many keys at once instead of one by one.
 */
export class BriefCache<V> {
  /** Asked for since the last turn, and before it but after the one before: those may be good yet. */
  #young = new Map<string, Entry<V>>();
  #old = new Map<string, Entry<V>>();
  #turnedMs = Number.NEGATIVE_INFINITY;
  #due: string[] = [];
  readonly #keepMs: number;
  readonly #clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
  readonly #load: (key: string) => Promise<V>;

  constructor(options: {
    readonly keepMs: number;
    readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
    readonly load: (key: string) => Promise<V>;
  }) {
    this.#keepMs = options.keepMs;
    this.#clock = options.clock;
    this.#load = options.load;
  }

  get(key: string): Promise<V> {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#entryOf(key);
    if (known === undefined || nowMs - known.askedMs >= this.#keepMs) return this.#ask(key).value;
    if (!known.isDue && nowMs - known.askedMs >= this.#keepMs / 2) this.#renewSoon(key, known);
    return known.value;
  }

  forget(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  #entryOf(key: string): Entry<V> | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  #ask(key: string): Entry<V> {
    const entry = this.#asked(key);
    this.#young.set(key, entry);
    // A failure is nobody's answer but theirs who waited for it.
    entry.value.catch(() => {
      for (const entries of [this.#young, this.#old]) {
        if (entries.get(key) === entry) entries.delete(key);
      }
    });
    return entry;
  }

  #asked(key: string): Entry<V> {
    const nowMs = this.#clock.monotonicMs();
    this.#turn(nowMs);
    return { value: this.#load(key), askedMs: nowMs, isDue: false };
  }

  #renewSoon(key: string, known: Entry<V>): void {
    known.isDue = true;
    this.#due.push(key);
    if (this.#due.length > 1) return;
    void this.#clock.sleep(this.#keepMs / 2 / renewals).then(() => {
      const due = this.#due;
      this.#due = [];
      for (const each of due) void this.#renew(each);
    });
  }

  /** The known answer stands until the new one is there; what was forgotten meanwhile stays forgotten. */
  async #renew(key: string): Promise<void> {
    const before = this.#entryOf(key);
    if (before?.isDue !== true) return;
    const entry = this.#asked(key);
    try {
      await entry.value;
    } catch {
      // Whoever asks when the known answer has grown old hears why there is no other.
      return;
    }
    if (this.#entryOf(key) === before) this.#young.set(key, entry);
  }

  /** Nothing is looked through: what stands among the old at the next turn is outdated altogether. */
  #turn(nowMs: number): void {
    if (nowMs - this.#turnedMs < this.#keepMs) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#turnedMs = nowMs;
  }
}
