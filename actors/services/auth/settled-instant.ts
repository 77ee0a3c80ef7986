import type { Clock } from '../../../infra/ports/clock.ts';

/**
 * Finds the instant of the database's clock before which everything was written at least `keepMs` ago, whatever that
 * clock did meanwhile. Edges hold a timestamp against clocks of their own: a database's clock that steps ahead makes
 * no nonce useless, however old it looks. So the least that was shown within the last `keepMs` counts, and nothing is
 * old before the clock was watched for so long.
 */
export class SettledInstant {
  readonly #keepMs: number;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #looks: { readonly atMs: number; readonly shownMs: number }[] = [];

  constructor(keepMs: number, clock: Pick<Clock, 'monotonicMs'>) {
    this.#keepMs = keepMs;
    this.#clock = clock;
  }

  /** The database's clock shows `shownMs`. Undefined while it has not been watched for long enough. */
  after(shownMs: number): number | undefined {
    const atMs = this.#clock.monotonicMs();
    const fromMs = atMs - this.#keepMs;
    const looks = this.#looks;
    looks.push({ atMs, shownMs });
    // The last look from before stays: what was written right after it came later than it showed.
    while (looks[1] !== undefined && looks[1].atMs <= fromMs) looks.shift();
    if (looks[0] === undefined || looks[0].atMs > fromMs) return undefined;
    return Math.min(...looks.map((look) => look.shownMs));
  }
}
