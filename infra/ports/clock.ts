/** Time comes in through the door: nothing outside infra/clock reads a clock or sets a timer. */
export interface Clock {
  /** Wall clock of this host in Unix milliseconds. Never decides a lease: the database's does. */
  nowMs(): number;
  /** Monotonic milliseconds; differences only. */
  monotonicMs(): number;
  /** Resolves after `ms`, or at once when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `tick` every `ms` until the returned function is called; never overlaps itself. */
  every(ms: number, tick: () => Promise<void> | void): () => void;
}
