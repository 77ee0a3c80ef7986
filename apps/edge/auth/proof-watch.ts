import type { RegistrationCache } from '../../../infra/chain/registration-cache.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { Service } from '../../../infra/ports/lifecycle.ts';
import type { Logger } from '../../../infra/ports/log.ts';

const proveEveryMs = 1_000;
/** One try that fails may be chance; hosts hear of this edge until as long ago one went well. */
const failingMaxMs = 3_000;

export interface ProofWatchDeps {
  /** What everybody goes through who is let in, and as slow; rejects where a caller would be refused. */
  readonly prove: () => Promise<unknown>;
  readonly registrations: Pick<RegistrationCache, 'isBlind'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Whether this edge could let anybody in, and how long that takes. One that refuses every heartbeat is
 * as good as dead, and one that lets them in late shortens leases by as much; hosts must know, for a
 * lease that ends meanwhile would be the callers' loss and our fault. The health check does not tell:
 * it asks for more, and nobody may ask it.
 */
export class ProofWatch implements Service {
  readonly #deps: ProofWatchDeps;
  /** When the last try began that went well. */
  #provedMs = Number.NEGATIVE_INFINITY;
  /** When the last try began that failed, if none went well since. */
  #failedMs: number | undefined;
  /** When the one began that is under way. */
  #askedMs: number | undefined;
  #tookMs = 0;
  #stopProving: (() => void) | undefined;
  #wasAble = true;

  constructor(deps: ProofWatchDeps) {
    this.#deps = deps;
  }

  get isAble(): boolean {
    const { clock, registrations } = this.#deps;
    if (registrations.isBlind || this.#provedMs === Number.NEGATIVE_INFINITY) return false;
    return this.#failedMs === undefined || clock.monotonicMs() - this.#provedMs < failingMaxMs;
  }

  /** How long a newcomer waits, or has waited by now, until he is let in. */
  get waitMs(): number {
    if (this.#askedMs === undefined) return this.#tookMs;
    return Math.max(this.#tookMs, this.#deps.clock.monotonicMs() - this.#askedMs);
  }

  async start(): Promise<void> {
    await this.#prove();
    this.#stopProving = this.#deps.clock.every(proveEveryMs, () => this.#prove());
  }

  async stop(): Promise<void> {
    this.#stopProving?.();
  }

  async #prove(): Promise<void> {
    const { clock, prove } = this.#deps;
    const askedMs = clock.monotonicMs();
    this.#askedMs = askedMs;
    const error = await prove().then(
      () => undefined,
      (failure: unknown) => failure ?? new Error('no reason'),
    );
    this.#askedMs = undefined;
    this.#failedMs = error === undefined ? undefined : askedMs;
    this.#tookMs = error === undefined ? clock.monotonicMs() - askedMs : 0;
    if (error === undefined) this.#provedMs = askedMs;
    this.#tellChange(error);
  }

  #tellChange(error: unknown): void {
    const { log } = this.#deps;
    const { isAble } = this;
    if (isAble !== this.#wasAble) {
      if (isAble) log.info('callers can be proved again');
      else log.warn('nobody can be proved: hosts do not hear of this edge meanwhile', { error });
    }
    this.#wasAble = isAble;
  }
}
