import type { Clock } from '../../../infra/ports/clock.ts';
import { Fault } from '../../../machines/fault.ts';

const windowMs = 60_000;
/** Addresses kept at once; beyond it the ones that asked longest ago are forgotten first. */
const keysMax = 100_000;

/** At most `limit` takes per key in any minute. */
export class RateWindow {
  readonly #limit: number;
  readonly #clock: Clock;
  readonly #takes = new Map<string, number[]>();

  constructor(limit: number, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** @throws RATE_LIMITED with the seconds until the next one is let through */
  take(key: string): void {
    const nowMs = this.#clock.monotonicMs();
    const recent = (this.#takes.get(key) ?? []).filter((atMs) => atMs > nowMs - windowMs);
    const oldestMs = recent[0];
    if (recent.length >= this.#limit && oldestMs !== undefined) {
      const seconds = Math.max(1, Math.ceil((oldestMs + windowMs - nowMs) / 1000));
      throw new Fault('RATE_LIMITED', `At most ${this.#limit} of these a minute.`, {
        retry_after_seconds: seconds,
      });
    }
    // Taken out first, so that the map's order is that of the last take.
    this.#takes.delete(key);
    this.#takes.set(key, [...recent, nowMs]);
    if (this.#takes.size > keysMax) this.#takes.delete(this.#takes.keys().next().value ?? '');
  }
}
