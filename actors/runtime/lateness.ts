export interface LatenessBounds {
  /** A shorter wait costs nobody a lease. */
  readonly fromMs: number;
  /** Less than this is not worth moving every deadline for. */
  readonly stepMs: number;
  /** The longest wait that is made good, and what is given at one time. */
  readonly maxMs: number;
}

/** What is given comes back so slowly: in the long run no deadline moves by more of the time. */
const refill = 0.1;

/**
 * By how much deadlines are to move because edges let their callers in late.
 *
 * 1. The longest wait over all edges counts, as it grows: a beat that comes late renews a lease that
 *    ends as much later, so a wait that stays as long takes nothing from anybody.
 * 2. A wait that became shorter and grows again takes from those who beat meanwhile, and is made good
 *    again.
 * 3. Whoever can make newcomers wait, as by a flood in pulses, moves deadlines by `maxMs` and by a tenth
 *    of the time after that, and no further.
 */
export class Lateness {
  readonly #bounds: LatenessBounds;
  readonly #waitMs = new Map<string, number>();
  /** How late callers may come by what was given. */
  #givenMs = 0;
  #roomMs: number;
  #roomAtMs = 0;

  constructor(bounds: LatenessBounds) {
    this.#bounds = bounds;
    this.#roomMs = bounds.maxMs;
  }

  /** What is to be given now that callers of this edge wait so long; 0 for nothing. */
  told(edge: string, waitMs: number, nowMs: number): number {
    const { fromMs, maxMs, stepMs } = this.#bounds;
    this.#waitMs.set(edge, Math.min(waitMs, maxMs));
    const longestMs = this.#sink();
    const more = Math.min(longestMs - this.#givenMs, this.#room(nowMs));
    if (longestMs < fromMs || more < stepMs) return 0;
    this.#givenMs += more;
    this.#roomMs -= more;
    return more;
  }

  forget(edge: string): void {
    this.#waitMs.delete(edge);
    this.#sink();
  }

  /** The longest wait; nobody is later by now than that. */
  #sink(): number {
    const longestMs = Math.max(0, ...this.#waitMs.values());
    this.#givenMs = Math.min(this.#givenMs, longestMs);
    return longestMs;
  }

  #room(nowMs: number): number {
    const backMs = (nowMs - this.#roomAtMs) * refill;
    this.#roomMs = Math.min(this.#bounds.maxMs, this.#roomMs + backMs);
    this.#roomAtMs = nowMs;
    return this.#roomMs;
  }
}
