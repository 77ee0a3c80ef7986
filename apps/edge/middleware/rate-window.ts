import type { Clock } from '../../../infra/ports/clock.ts';
import { Fault } from '../../../machines/fault.ts';

const windowMs = 60_000;
/** Addresses kept at once; beyond it the ones that asked longest ago are forgotten first. */
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

/** At most `limit` takes per key in any minute. */
export class RateWindow {
  readonly #limit: number;
  readonly #clock: Clock;
  readonly #takes = new Map<string, Takes>();

  constructor(limit: number, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** @throws RATE_LIMITED with the seconds until the next one is let through */
  take(key: string): void {
    const nowMs = this.#clock.monotonicMs();
    const takes = this.#takes.get(key) ?? { times: [], first: 0 };
    const oldestMs = forgetBefore(takes, nowMs - windowMs);
    if (oldestMs !== undefined && takes.times.length - takes.first >= this.#limit) {
      const seconds = Math.max(1, Math.ceil((oldestMs + windowMs - nowMs) / 1000));
      throw new Fault('RATE_LIMITED', `At most ${this.#limit} of these a minute.`, {
        retry_after_seconds: seconds,
      });
    }
    // Taken out first, so that the map's order is that of the last take.
    this.#takes.delete(key);
    this.#takes.set(key, takes);
    takes.times.push(nowMs);
    if (this.#takes.size > keysMax) this.#takes.delete(this.#takes.keys().next().value ?? '');
  }
}
