import type { Clock } from '../../infra/ports/clock.ts';
import type { TimeTold } from '../../infra/ports/history.ts';
import type { Logger } from '../../infra/ports/log.ts';

/**
 * Of what a timestamp may be off. A caller whose own clock is off by as much is still let in then; and with
 * two edges that are off in opposite directions, no timestamp outlives its nonce, where NONCE_MEMORY_SECONDS
 * is three times TIMESTAMP_SKEW_SECONDS, as it is unless it was set lower.
 */
const offShare = 0.5;
/** The database tells the time once in a second; who has not heard it for so long knows nothing. */
const knownMs = 30_000;

export interface ClockWatchDeps {
  /** What a timestamp may be off. */
  readonly skewSeconds: number;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Pick<Logger, 'error' | 'warn'>;
}

/**
 * How far the clock of this host is from the database's. Signed requests are held against the former, and
 * all else goes by the latter: where they differ, callers are refused and told that theirs is wrong.
 *
 * It takes what the database is asked anyway, see `HistoryWatch`.
 */
export class ClockWatch {
  readonly #deps: ClockWatchDeps;
  #aheadMs: number | undefined;
  #heardMs = Number.NEGATIVE_INFINITY;
  #wasOff = false;

  constructor(deps: ClockWatchDeps) {
    this.#deps = deps;
  }

  /** At least so far, and less than zero where it is behind; undefined where the database does not tell. */
  get aheadSeconds(): number | undefined {
    if (this.#deps.clock.monotonicMs() - this.#heardMs > knownMs) return undefined;
    return this.#aheadMs === undefined ? undefined : this.#aheadMs / 1000;
  }

  get isOff(): boolean {
    return Math.abs(this.aheadSeconds ?? 0) > this.#deps.skewSeconds * offShare;
  }

  heard({ askedMs, databaseMs, heardMs }: TimeTold): void {
    // The database looked at some moment between: what that alone explains is no difference.
    const [least, most] = [askedMs - databaseMs, heardMs - databaseMs];
    this.#aheadMs = Math.max(least, Math.min(0, most));
    this.#heardMs = this.#deps.clock.monotonicMs();
    this.#tellChange();
  }

  #tellChange(): void {
    const { isOff, aheadSeconds } = this;
    if (isOff === this.#wasOff) return;
    this.#wasOff = isOff;
    const { log } = this.#deps;
    if (isOff) log.error('THE CLOCK OF THIS HOST IS OFF', { aheadSeconds });
    else log.warn('the clock of this host is right again', { aheadSeconds });
  }
}
