import type { Clock } from '../../infra/ports/clock.ts';

interface Sleeper {
  readonly dueMs: number;
  wake(): void;
}

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  readonly #startMs: number;
  readonly #sleepers = new Set<Sleeper>();
  #elapsedMs = 0;

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#startMs = startMs;
  }

  nowMs(): number {
    return this.#startMs + this.#elapsedMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const sleeper = { dueMs: this.#elapsedMs + ms, wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', wake);
    });
  }

  every(ms: number, tick: () => Promise<void> | void): () => void {
    const stopped = new AbortController();
    const run = async () => {
      for (;;) {
        await this.sleep(ms, stopped.signal);
        if (stopped.signal.aborted) return;
        await tick();
      }
    };
    void run();
    return () => stopped.abort();
  }

  /** Whether somebody sleeps until exactly so long after the start. */
  isAwaited(atMs: number): boolean {
    return [...this.#sleepers].some(({ dueMs }) => dueMs === atMs);
  }

  /** Time passes and nobody wakes, as for a process that was stopped; who was due wakes at the next `advance`. */
  standStill(ms: number): void {
    this.#elapsedMs += ms;
  }

  /** Wakes who is due on the way, in order, each at its own time, and lets it run before going on. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#elapsedMs + ms;
    for (;;) {
      const next = this.#earliest();
      if (next === undefined || next.dueMs > untilMs) break;
      this.#elapsedMs = Math.max(this.#elapsedMs, next.dueMs);
      next.wake();
      await new Promise(setImmediate);
    }
    // Somebody may have let it stand still for longer meanwhile.
    this.#elapsedMs = Math.max(this.#elapsedMs, untilMs);
  }

  #earliest(): Sleeper | undefined {
    return [...this.#sleepers].sort((left, right) => left.dueMs - right.dueMs)[0];
  }
}
