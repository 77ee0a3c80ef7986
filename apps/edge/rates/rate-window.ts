import type { Clock } from '../../../infra/ports/clock.ts';

const windowMs = 60_000;
/** So many keys that asked last are kept, and at most twice as many. */
const keysMax = 100_000;

/** When a key took, oldest first; those before `first` no longer count. */
interface Takes {
  times: number[];
  first: number;
}

/** The oldest that still counts. Each time is looked at once, however many there are. */
function forgetBefore(takes: Takes, outdatedMs: number): number | undefined {
  const { times } = takes;
  while ((times[takes.first] ?? Number.POSITIVE_INFINITY) <= outdatedMs) takes.first += 1;
  if (takes.first > times.length / 2) {
    takes.times = times.slice(takes.first);
    takes.first = 0;
  }
  return takes.times[takes.first];
}

/** At most `limit` takes per key in any minute, whatever minute one looks at. */
export class RateWindow {
  readonly #limit: number;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** Keys that asked since the last turn, and those that asked before it but after the one before. */
  #young = new Map<string, Takes>();
  #old = new Map<string, Takes>();
  #turnedMs = Number.NEGATIVE_INFINITY;

  constructor(limit: number, clock: Pick<Clock, 'monotonicMs'>) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /**
   * Zero when let through; else the milliseconds (over 0, at most 60,000) until the next one is.
   * Refusals do not count, so nothing can be let through before. About a microsecond.
   */
  take(key: string): number {
    const nowMs = this.#clock.monotonicMs();
    this.#turn(nowMs);
    const takes = this.#takesOf(key);
    const waitMs = this.#waitMs(takes, nowMs);
    if (waitMs > 0) return waitMs;
    // Pushed to, an empty array makes room for sixteen more; most keys of a flood come once.
    if (takes.times.length === 0) takes.times = [nowMs];
    else takes.times.push(nowMs);
    return 0;
  }

  /** What `take` would answer now. */
  look(key: string): number {
    const takes = this.#young.get(key) ?? this.#old.get(key);
    return takes === undefined ? 0 : this.#waitMs(takes, this.#clock.monotonicMs());
  }

  #waitMs(takes: Takes, nowMs: number): number {
    const oldestMs = forgetBefore(takes, nowMs - windowMs);
    const isFull = takes.times.length - takes.first >= this.#limit;
    return oldestMs !== undefined && isFull ? oldestMs + windowMs - nowMs : 0;
  }

  #takesOf(key: string): Takes {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const takes = this.#old.get(key) ?? { times: [], first: 0 };
    this.#young.set(key, takes);
    return takes;
  }

  /**
   * Forgets many keys at once, for to look for the oldest one of a large map takes longer with each that
   * was deleted before it. Those that a minute turns out have no take that counts.
   */
  #turn(nowMs: number): void {
    if (this.#young.size < keysMax && nowMs - this.#turnedMs < windowMs) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#turnedMs = nowMs;
  }
}
