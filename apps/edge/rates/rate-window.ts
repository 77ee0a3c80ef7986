import type { Clock } from '../../../infra/ports/clock.ts';

const windowMs = 60_000;
/** Keys kept at once; beyond it the ones that asked longest ago are forgotten first. */
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
  readonly #takes = new Map<string, Takes>();

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
    const takes = this.#takes.get(key) ?? { times: [], first: 0 };
    const oldestMs = forgetBefore(takes, nowMs - windowMs);
    if (oldestMs !== undefined && takes.times.length - takes.first >= this.#limit) {
      return oldestMs + windowMs - nowMs;
    }
    // Taken out first, so that the map's order is that of the last take.
    this.#takes.delete(key);
    this.#takes.set(key, takes);
    takes.times.push(nowMs);
    if (this.#takes.size > keysMax) this.#takes.delete(this.#takes.keys().next().value ?? '');
    return 0;
  }
}
