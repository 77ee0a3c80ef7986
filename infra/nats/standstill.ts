import type { Clock } from '../ports/clock.ts';

const beatMs = 1_000;
/** A gap between two beats from which on this process stood still, rather than was busy. */
const standstillMinMs = 3_000;
/** In which a process that goes on reads what had waited in its sockets. */
const catchUpMs = 1_000;

/**
 * How long what is read now may have waited in a socket, by this process's monotonic clock alone: one that was
 * stopped, or its machine, finds requests whose callers have given up, and nothing in them tells their age.
 */
export class Standstill {
  readonly #clock: Clock;
  #stopBeating: (() => void) | undefined;
  #beatAtMs: number;
  #stoodMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#beatAtMs = clock.monotonicMs();
  }

  start(): void {
    this.#stoodMs = 0;
    this.#beatAtMs = this.#clock.monotonicMs();
    this.#stopBeating ??= this.#clock.every(beatMs, () => this.#beat());
  }

  stop(): void {
    this.#stopBeating?.();
    this.#stopBeating = undefined;
  }

  /** Milliseconds; 0 while this process goes on as it should. */
  unreadMs(): number {
    const sinceBeatMs = this.#clock.monotonicMs() - this.#beatAtMs;
    // The socket may be read before the first beat after a stop.
    if (sinceBeatMs >= standstillMinMs) return sinceBeatMs;
    return sinceBeatMs < catchUpMs ? this.#stoodMs : 0;
  }

  #beat(): void {
    const nowMs = this.#clock.monotonicMs();
    const gapMs = nowMs - this.#beatAtMs;
    this.#stoodMs = gapMs >= standstillMinMs ? gapMs : 0;
    this.#beatAtMs = nowMs;
  }
}
