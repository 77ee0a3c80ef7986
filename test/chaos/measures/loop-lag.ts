import { nowMs } from '../clients/history.ts';

/** A time in which this process did not get to what was due. Unix milliseconds. */
export interface Stall {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly lagMs: number;
}

const everyMs = 100;
/** Less is how timers are. */
const noticedMs = 50;

/** Watches the event loop that it runs in: clients stamp their requests there, and proxies pass them. */
export class LoopLag {
  readonly stalls: Stall[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor() {
    let fromMs = nowMs();
    this.#timer = setInterval(() => {
      const untilMs = nowMs();
      const lagMs = untilMs - fromMs - everyMs;
      if (lagMs > noticedMs) this.stalls.push({ fromMs, untilMs, lagMs });
      fromMs = untilMs;
    }, everyMs);
    this.#timer.unref();
  }

  get worstMs(): number {
    return this.stalls.reduce((worst, { lagMs }) => Math.max(worst, lagMs), 0);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** All of the lag of stalls that touch this time: a request meets one at each of its turns. */
export function lagWithin(stalls: readonly Stall[], fromMs: number, untilMs: number): number {
  return stalls
    .filter((stall) => stall.fromMs < untilMs && stall.untilMs > fromMs)
    .reduce((sum, { lagMs }) => sum + lagMs, 0);
}
