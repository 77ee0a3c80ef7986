import type { Clock } from '../../../infra/ports/clock.ts';

export interface TaskTimeOptions {
  readonly clock: Clock;
  /** How long in all, until now, the agent had to wait for the platform, in milliseconds. */
  readonly waitedMs?: (() => number) | undefined;
}

/** Far above the pause between two looks, and above what a busy machine makes of it. */
const standstillMinMs = 1_000;

/**
 * The time that is an agent's own. A validator that was stopped (a signal, a paused container, a machine that stood
 * still) finds all its timers due when it goes on, before it reads what the agent has long written: so the time
 * between two looks that are far apart is nobody's. Nor is what the platform let the agent wait for.
 */
export class TaskTime {
  readonly #options: TaskTimeOptions;
  #lookedMs: number;
  #stoodStillMs = 0;

  constructor(options: TaskTimeOptions) {
    this.#options = options;
    this.#lookedMs = options.clock.monotonicMs();
  }

  /** To be called all the while, many times in a second. */
  look(): void {
    const nowMs = this.#options.clock.monotonicMs();
    const gapMs = nowMs - this.#lookedMs;
    this.#lookedMs = nowMs;
    if (gapMs >= standstillMinMs) this.#stoodStillMs += gapMs;
  }

  /** Resolves when so much of it has passed, or at once when `signal` aborts. */
  async pass(ms: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const untilMs = this.#ownMs() + ms;
    while (!signal.aborted) {
      const leftMs = untilMs - this.#ownMs();
      if (leftMs <= 0) return;
      await clock.sleep(leftMs, signal);
    }
  }

  #ownMs(): number {
    const { clock, waitedMs } = this.#options;
    // Which of the timers that are due at once is first, nobody knows.
    this.look();
    return clock.monotonicMs() - this.#stoodStillMs - (waitedMs?.() ?? 0);
  }
}
