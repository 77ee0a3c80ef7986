import { RecentMap } from '../../../infra/cache/recent-map.ts';
import type { Clock } from '../../../infra/ports/clock.ts';

const familiarMs = 600_000;
/** Several subnets' worth, each key from a few addresses. */
const familiarMax = 50_000;

/** Who proved something within ten minutes: familiar, which says nothing of now. */
export class RecentlyProved {
  readonly #provedMs = new RecentMap<string, number>(familiarMax);
  readonly #clock: Pick<Clock, 'monotonicMs'>;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  add(who: string): void {
    this.#provedMs.set(who, this.#clock.monotonicMs());
  }

  delete(who: string): void {
    this.#provedMs.delete(who);
  }

  has(who: string): boolean {
    const provedMs = this.#provedMs.get(who) ?? Number.NEGATIVE_INFINITY;
    return this.#clock.monotonicMs() - provedMs < familiarMs;
  }
}
