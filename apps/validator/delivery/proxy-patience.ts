import type { Clock } from '../../../infra/ports/clock.ts';
import type { Attempt } from './delivery.ts';

/**
 * Longer than a proxy is set up anew or the service behind it is, and half of the hour without results after which a
 * service takes a run away (NO_PROGRESS_SECONDS).
 */
const proxyPatienceMs = 30 * 60_000;

/**
 * What the attempts of a request mean where a proxy refuses it. One that does so for long refuses what is in the
 * request, as a filter does that finds the words of an agent suspicious, and would for ever. It is counted from
 * the first such refusal on, whatever else is answered in between, for no filter is without a time-out now and then.
 */
export class ProxyPatience {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #sinceMs: number | undefined;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  meaningOf<Kind extends Attempt>(attempt: Kind) {
    if (attempt.kind !== 'later' || attempt.isProxys !== true) return attempt;
    const nowMs = this.#clock.monotonicMs();
    this.#sinceMs ??= nowMs;
    if (nowMs - this.#sinceMs < proxyPatienceMs) return attempt;
    return { kind: 'refused' as const, reason: `given up: ${attempt.reason}` };
  }
}
