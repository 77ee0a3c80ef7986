import type { Clock } from '../../../infra/ports/clock.ts';
import type { Service } from '../../../infra/ports/lifecycle.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import { refuseChangedKeys, type Seal, SealKeyChanged } from '../../../infra/ports/seal.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { knownSealKeys } from '../reads/credential-keys.ts';

export interface SealKeyWatchDeps {
  readonly sql: Sql;
  readonly seal: Pick<Seal, 'keyChecks'>;
  readonly clock: Clock;
  readonly log: Logger;
}

const againMs = 5_000;

/**
 * Compares the keys of this edge with those that coordinators have noted in the database: what another
 * key seals under the same id, no coordinator opens. An edge may start before its coordinators and
 * without its database, so it looks again until all of its keys are known.
 */
export class SealKeyWatch implements Service {
  /** Rejects when the edge has another key than the database, which is seen after its start. */
  readonly changed: Promise<void>;
  readonly #deps: SealKeyWatchDeps;
  readonly #ended = Promise.withResolvers<void>();
  #stop: () => void = () => undefined;
  #looking: Promise<void> = Promise.resolve();
  #isDone = false;
  #isUnread = false;

  constructor(deps: SealKeyWatchDeps) {
    this.#deps = deps;
    this.changed = this.#ended.promise;
    // Whoever waits for it hears of it.
    this.changed.catch(() => undefined);
  }

  /** @throws SealKeyChanged */
  async start(): Promise<void> {
    await this.#look();
    if (this.#isDone) return;
    this.#stop = this.#deps.clock.every(againMs, () => {
      this.#looking = this.#look().catch((error: unknown) => {
        this.#stop();
        this.#ended.reject(error);
      });
      return this.#looking;
    });
  }

  async stop(): Promise<void> {
    this.#stop();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { log, seal, sql } = this.#deps;
    try {
      const known = await knownSealKeys(sql);
      refuseChangedKeys(seal, known);
      this.#isDone = [...seal.keyChecks.keys()].every((keyId) => known.has(keyId));
      if (this.#isDone) this.#stop();
    } catch (error) {
      if (error instanceof SealKeyChanged) throw error;
      if (!this.#isUnread) log.warn('keys could not be compared with the database', { error });
      this.#isUnread = true;
    }
  }
}
