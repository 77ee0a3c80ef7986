import type { Clock } from '../../../infra/ports/clock.ts';

export interface TaskTimeOptions {
  readonly clock: Clock;
  /** How long in all, until now, the agent had to wait for the platform, in milliseconds. */
  readonly waitedMs?: (() => number) | undefined;
  /** How long in all, until now, the validator has computed. */
  readonly busyMs?: (() => number) | undefined;
}

/** Far above the pause between two looks, and above what a busy machine makes of it. */
const standstillMinMs = 1_000;
/** Of a task. Who stands still for longer has lost his lease anyway. */
const standstillMaxMs = 120_000;

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  // Of whole milliseconds no sum is off by a fraction.
  return Math.round((user + system) / 1000);
}

/**
 * The time that is an agent's own. A validator that was stopped (a signal, a paused container, a machine that stood
 * still) finds all its timers due when it goes on, before it reads what the agent has long written: so the time
 * between two looks that are far apart is nobody's, but for what the validator computed meanwhile: an agent's call
 * may make it. Nor is what the platform let the agent wait for.
 */
export class TaskTime {
  readonly #options: TaskTimeOptions;
  readonly #busyMs: () => number;
  #lookedMs: number;
  #lookedBusyMs: number;
  #stoodStillMs = 0;

  constructor(options: TaskTimeOptions) {
    this.#options = options;
    this.#busyMs = options.busyMs ?? cpuMs;
    this.#lookedMs = options.clock.monotonicMs();
    this.#lookedBusyMs = this.#busyMs();
  }

  /** To be called all the while, many times in a second. */
  look(): void {
    const nowMs = this.#options.clock.monotonicMs();
    const busyMs = this.#busyMs();
    const gapMs = nowMs - this.#lookedMs;
    const idleMs = Math.max(gapMs - (busyMs - this.#lookedBusyMs), 0);
    this.#lookedMs = nowMs;
    this.#lookedBusyMs = busyMs;
    if (gapMs < standstillMinMs) return;
    this.#stoodStillMs = Math.min(this.#stoodStillMs + idleMs, standstillMaxMs);
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
