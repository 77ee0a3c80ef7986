import type { RegistrationCache } from '../../../infra/chain/registration-cache.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { Service } from '../../../infra/ports/lifecycle.ts';
import type { Logger } from '../../../infra/ports/log.ts';

const proveEveryMs = 1_000;
/** One try that fails may be chance; so long after the first of several nobody is let in. */
const failingMaxMs = 2_000;
/** As long as deployed clients wait for an answer: who is let in later has gone. */
const waitMaxMs = 30_000;

export interface ProofWatchDeps {
  /** What a newcomer goes through until he is let in, and as slow; rejects where he would get a 503. */
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
  #hasProved = false;
  /** When the first try began that failed, if none went well since. */
  #failingSinceMs: number | undefined;
  /** When the one began that is under way. */
  #askedMs: number | undefined;
  /** Of the last one that went well. */
  #tookMs = 0;
  #stopProving: (() => void) | undefined;
  #wasAble = true;

  constructor(deps: ProofWatchDeps) {
    this.#deps = deps;
  }

  get isAble(): boolean {
    const { clock, registrations } = this.#deps;
    if (registrations.isBlind || !this.#hasProved || this.waitMs >= waitMaxMs) return false;
    const sinceMs = this.#failingSinceMs;
    return sinceMs === undefined || clock.monotonicMs() - sinceMs < failingMaxMs;
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
    if (error === undefined) {
      this.#hasProved = true;
      this.#failingSinceMs = undefined;
      this.#tookMs = clock.monotonicMs() - askedMs;
    } else this.#failingSinceMs ??= askedMs;
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
