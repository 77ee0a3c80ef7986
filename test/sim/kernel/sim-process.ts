import type { Clock } from '../../../infra/ports/clock.ts';
import type { Cancel, Kernel } from './kernel.ts';

/**
 * A process of the simulated world, of which only what it waits for is known: whatever it is to go on
 * with comes through `resume`, so that it can be killed (nothing goes on ever) and stopped (nothing
 * goes on until it is continued; what came meanwhile comes then, in its order).
 */
export class SimProcess {
  readonly name: string;
  readonly kernel: Kernel;
  readonly #onKill: (() => void)[] = [];
  readonly #bootUs: number;
  #isAlive = true;
  #pausedUntilUs = 0;
  #backlog = 0;
  /** By how much its wall clock is wrong. */
  skewMs = 0;

  constructor(kernel: Kernel, name: string) {
    this.kernel = kernel;
    this.name = name;
    this.#bootUs = kernel.nowUs;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  get isPaused(): boolean {
    return this.#pausedUntilUs > this.kernel.nowUs;
  }

  /** Whether it has lived, and gone on, for so long. */
  isSteadyFor(ms: number): boolean {
    const sinceUs = Math.max(this.#bootUs, this.#pausedUntilUs);
    return this.#isAlive && this.kernel.nowUs - sinceUs >= ms * 1000;
  }

  /** Runs in this process, unless it is gone by then. */
  resume(delayMs: number, what: string, run: () => void): Cancel {
    let cancel: Cancel = () => undefined;
    const attempt = () => {
      if (!this.#isAlive) return;
      if (!this.isPaused) return run();
      // A microsecond apart: what came in one order goes on in the same.
      this.#backlog += 1;
      cancel = this.kernel.at(this.#pausedUntilUs + this.#backlog, `${this.name} ${what}`, attempt);
    };
    cancel = this.kernel.after(delayMs, `${this.name} ${what}`, attempt);
    return () => cancel();
  }

  /** SIGSTOP, and SIGCONT later. */
  pause(ms: number): void {
    if (!this.isPaused) this.#backlog = 0;
    this.#pausedUntilUs = Math.max(this.#pausedUntilUs, this.kernel.nowUs + Math.round(ms * 1000));
  }

  /** SIGKILL: its connections end, its memory is gone. */
  kill(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    for (const end of this.#onKill.splice(0)) end();
  }

  onKill(end: () => void): void {
    this.#onKill.push(end);
  }

  readonly clock: Clock = {
    nowMs: () => Math.floor(this.kernel.nowMs + this.skewMs),
    monotonicMs: () => (this.kernel.nowUs - this.#bootUs) / 1000,
    sleep: (ms, signal) => this.#sleep(ms, signal),
    every: (ms, tick) => this.#every(ms, tick),
  };

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const done = () => {
        cancel();
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const cancel = this.resume(ms, 'wakes', done);
      signal?.addEventListener('abort', done);
    });
  }

  #every(ms: number, tick: () => Promise<void> | void): () => void {
    let cancel: Cancel = () => undefined;
    let isStopped = false;
    const run = async () => {
      await tick();
      if (!isStopped) cancel = this.resume(ms, 'ticks', () => void run());
    };
    cancel = this.resume(ms, 'ticks', () => void run());
    return () => {
      isStopped = true;
      cancel();
    };
  }
}
