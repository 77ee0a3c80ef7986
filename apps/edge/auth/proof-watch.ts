import type { RegistrationCache } from '../../../infra/chain/registration-cache.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { Service } from '../../../infra/ports/lifecycle.ts';
import type { Logger } from '../../../infra/ports/log.ts';

const readEveryMs = 1_000;
/** As long as a statement may take: who has waited longer for one was refused. */
const unreadMaxMs = 3_000;

export interface ProofWatchDeps {
  /** What is asked of the database before anybody is let in, over the same connections. */
  readonly read: () => Promise<unknown>;
  readonly registrations: Pick<RegistrationCache, 'isBlind'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Whether this edge could let anybody in. One that refuses every heartbeat is as good as dead, and
 * hosts must know: a lease that ends meanwhile would be the callers' loss and our fault. The health
 * check does not tell, for it asks for more, and nobody may ask it.
 */
export class ProofWatch implements Service {
  readonly #deps: ProofWatchDeps;
  #readMs = Number.NEGATIVE_INFINITY;
  #stopReading: (() => void) | undefined;
  #wasAble = true;

  constructor(deps: ProofWatchDeps) {
    this.#deps = deps;
  }

  get isAble(): boolean {
    const { clock, registrations } = this.#deps;
    return clock.monotonicMs() - this.#readMs < unreadMaxMs && !registrations.isBlind;
  }

  async start(): Promise<void> {
    await this.#read();
    this.#stopReading = this.#deps.clock.every(readEveryMs, () => this.#read());
  }

  async stop(): Promise<void> {
    this.#stopReading?.();
  }

  async #read(): Promise<void> {
    const { clock, log, read } = this.#deps;
    // An answer is as old as its question.
    const askedMs = clock.monotonicMs();
    const error = await read().then(
      () => undefined,
      (failure: unknown) => failure,
    );
    if (error === undefined) this.#readMs = askedMs;
    const { isAble } = this;
    if (isAble !== this.#wasAble) {
      if (isAble) log.info('callers can be proved again');
      else log.warn('nobody can be proved: hosts do not hear of this edge meanwhile', { error });
    }
    this.#wasAble = isAble;
  }
}
