import type { Msg, NatsConnection } from 'nats';
import type { SharedWork, Subscription } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/log.ts';
import { drained } from './signals.ts';

export interface SharingDeps {
  readonly connection: NatsConnection;
  readonly clock: Pick<Clock, 'every'>;
  readonly log: Logger;
}

/** Who serves answers here, and nobody else does. */
const subject = 'sys.serving';
const askEveryMs = 1_000;

/**
 * `taking`: as usual. `refusing`: it can do nothing and knows of nobody who can, so that callers had
 * better hear of it than meet nobody, whom they would wait for. `away`: somebody else serves.
 */
type State = 'away' | 'refusing' | 'taking';

/** One process's part in what any process may do. */
export class Sharing implements SharedWork {
  readonly #deps: SharingDeps;
  readonly #changes = new Set<() => void>();
  #state: State = 'taking';
  #stopAsking: (() => void) | undefined;

  constructor(deps: SharingDeps) {
    this.#deps = deps;
  }

  /** What comes here is done here. */
  get isTaking(): boolean {
    return this.#state === 'taking';
  }

  /** What comes would have come to somebody else, who can do it. */
  get isAway(): boolean {
    return this.#state === 'away';
  }

  onChange(changed: () => void): () => void {
    this.#changes.add(changed);
    return () => this.#changes.delete(changed);
  }

  /** Says to others that this one serves, while it does. */
  answer(): Subscription {
    const callback = (error: Error | null, message: Msg) => {
      if (error === null && this.isTaking) message.respond();
    };
    return drained(this.#deps.connection.subscribe(subject, { callback }));
  }

  leave(): void {
    if (!this.isTaking) return;
    const { clock, log } = this.#deps;
    log.warn('no work that others could do is taken any more');
    this.#become('refusing');
    this.#stopAsking = clock.every(askEveryMs, () => this.#ask());
    void this.#ask();
  }

  take(): void {
    if (this.isTaking) return;
    this.#deps.log.info('work that others could do is taken again');
    this.#stopAsking?.();
    this.#become('taking');
  }

  async #ask(): Promise<void> {
    const { connection } = this.#deps;
    if (connection.isClosed()) return this.#stopAsking?.();
    const isServed = await connection.request(subject, '', { timeout: askEveryMs }).then(
      () => true,
      () => false,
    );
    if (!this.isTaking && !connection.isClosed()) this.#become(isServed ? 'away' : 'refusing');
  }

  #become(state: State): void {
    if (this.#state === state) return;
    this.#state = state;
    for (const changed of this.#changes) changed();
  }
}
