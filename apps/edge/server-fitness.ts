import type { Clock } from '../../infra/ports/clock.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import {
  checkServer,
  type ServerDemands,
  UnfitDatabase,
} from '../../infra/postgres/check-server.ts';
import { WriteBlocked } from './readiness.ts';

/** Strangers may ask for it, and it reads the list of what replicates. */
const everyMs = 10_000;

export interface ServerFitnessDeps {
  readonly sql: Sql;
  readonly demands: ServerDemands;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Pick<Logger, 'error' | 'warn'>;
}

/**
 * Whether the database keeps what it acknowledges. Coordinators look when they start; a failover brings
 * another server under what runs, standbys come later than it, and settings are changed by a reload. So it
 * is asked again, beside all requests: where it is asked whether a write would be taken, and now and then
 * where nobody asks.
 */
export class ServerFitness {
  readonly #deps: ServerFitnessDeps;
  #askedMs = Number.NEGATIVE_INFINITY;
  #complaint: string | undefined;

  constructor(deps: ServerFitnessDeps) {
    this.#deps = deps;
  }

  get isUnfit(): boolean {
    return this.#complaint !== undefined;
  }

  async look(): Promise<void> {
    try {
      await this.#lookAgain();
    } catch {
      // A database that does not answer is told of elsewhere, and is what it was.
    }
  }

  /** Rejects where it is unfit; what to set is for those who read the log. */
  async require(): Promise<void> {
    await this.#lookAgain();
    if (this.#complaint !== undefined) {
      throw new WriteBlocked('the database is unfit; the log of this process says what to set');
    }
  }

  async #lookAgain(): Promise<void> {
    const nowMs = this.#deps.clock.monotonicMs();
    if (nowMs - this.#askedMs < everyMs) return;
    this.#heard(await this.#ask());
    this.#askedMs = nowMs;
  }

  async #ask(): Promise<string | undefined> {
    try {
      await checkServer(this.#deps.sql, this.#deps.demands);
      return undefined;
    } catch (error) {
      if (error instanceof UnfitDatabase) return error.message;
      throw error;
    }
  }

  #heard(complaint: string | undefined): void {
    const { log } = this.#deps;
    if (complaint !== undefined && complaint !== this.#complaint) {
      log.error('THE DATABASE MAY LOSE WHAT IT ACKNOWLEDGES', { complaint });
    }
    if (complaint === undefined && this.#complaint !== undefined) {
      log.warn('the database is fit again');
    }
    this.#complaint = complaint;
  }
}
