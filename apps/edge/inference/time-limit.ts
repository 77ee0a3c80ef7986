import type { Clock } from '../../../infra/ports/clock.ts';

/** Said so, since an abort without a reason makes an error with a stack each time. */
export const over = 'over';

/** The times of one completion, as one signal; must be ended. */
export class TimeLimit {
  readonly #ending = new AbortController();
  readonly #timers = new AbortController();
  readonly #clock: Pick<Clock, 'sleep'>;

  constructor(clock: Pick<Clock, 'sleep'>) {
    this.#clock = clock;
  }

  /** Aborts when a time is over, or when it was ended. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** `until` takes the limit back. */
  start(ms: number, until?: AbortSignal): void {
    const signals = until === undefined ? [] : [until];
    const timer = AbortSignal.any([this.#timers.signal, ...signals]);
    const late = this.#clock.sleep(ms, timer).then(() => {
      if (!timer.aborted) this.#ending.abort(new Error(`not done within ${ms} ms`));
    });
    late.catch(() => undefined);
  }

  end(): void {
    this.#timers.abort(over);
    this.#ending.abort(over);
  }
}
