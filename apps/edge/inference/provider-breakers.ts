import type { Clock } from '../../../infra/ports/clock.ts';
import type { ProviderId } from '../../../infra/ports/inference.ts';
import { refusal } from '../../../machines/refusal.ts';
import {
  admit,
  type Breaker,
  type BreakerPolicy,
  type Outcome,
  settle,
  workingBreaker,
} from './breaker.ts';

/** Told once how it went; later words are not heard. */
export type Tell = (outcome: Outcome) => void;

/** One breaker for each provider, at this edge. */
export class ProviderBreakers {
  readonly #breakers = new Map<ProviderId, Breaker>();
  readonly #policy: BreakerPolicy;
  readonly #clock: Pick<Clock, 'monotonicMs'>;

  constructor(policy: BreakerPolicy, clock: Pick<Clock, 'monotonicMs'>) {
    this.#policy = policy;
    this.#clock = clock;
  }

  /** @throws PROVIDER_UNAVAILABLE while the provider rests, or this miner after a try of its own */
  enter(provider: ProviderId, minerHotkey: string): Tell {
    const admittance = admit(this.#of(provider), minerHotkey, this.#clock.monotonicMs());
    if (!admittance.isAdmitted) {
      throw refusal('PROVIDER_UNAVAILABLE', {
        says: 'The provider failed too often and has a rest.',
        extras: {
          provider_failed: true,
          retry_after_seconds: Math.ceil(admittance.waitMs / 1000),
        },
      });
    }
    const { admitted, next } = admittance;
    this.#breakers.set(provider, next);
    let isTold = false;
    return (outcome) => {
      if (isTold) return;
      isTold = true;
      const told = { outcome, nowMs: this.#clock.monotonicMs(), policy: this.#policy };
      this.#breakers.set(provider, settle(this.#of(provider), admitted, told));
    };
  }

  #of(provider: ProviderId): Breaker {
    return this.#breakers.get(provider) ?? workingBreaker;
  }
}
