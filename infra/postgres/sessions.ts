import type { Sql } from '../ports/sql.ts';

/** One connection for one user at a time; lost once is lost for ever. */
export interface Session {
  readonly sql: Sql;
  readonly isLost: boolean;
}

export type OpenSession = (onLost: () => void) => Sql;

class OwnSession implements Session {
  readonly sql: Sql;
  isLost = false;

  constructor(open: OpenSession) {
    this.sql = open(() => {
      this.isLost = true;
    });
  }
}

/**
 * Connections for transactions, apart from the pool. On a connection that is gone the client
 * library (3.4.9) sends its own ROLLBACK into nothing, which ends the process, and runs the rest of
 * a transaction outside of it when the connection is made anew. A session is never made anew.
 */
export class Sessions {
  readonly #open: OpenSession;
  readonly #max: number;
  readonly #all = new Set<OwnSession>();
  readonly #free: OwnSession[] = [];
  readonly #waiting: (() => void)[] = [];
  #hasEnded = false;

  constructor(open: OpenSession, max: number) {
    this.#open = open;
    this.#max = max;
  }

  async use<T>(body: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.#take();
    let isFit = false;
    try {
      const result = await body(session);
      isFit = true;
      return result;
    } finally {
      this.#giveBack(session, isFit);
    }
  }

  async end(timeoutSeconds: number): Promise<void> {
    this.#hasEnded = true;
    const all = [...this.#all];
    await Promise.all(all.map((session) => session.sql.end({ timeout: timeoutSeconds })));
  }

  async #take(): Promise<OwnSession> {
    for (;;) {
      const session = this.#free.pop();
      if (session !== undefined && !session.isLost) return session;
      if (session !== undefined) this.#discard(session);
      else if (this.#all.size < this.#max || this.#hasEnded) return this.#make();
      else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #make(): OwnSession {
    if (this.#hasEnded) throw new Error('the database connections of this process are closed');
    const session = new OwnSession(this.#open);
    this.#all.add(session);
    return session;
  }

  #giveBack(session: OwnSession, isFit: boolean): void {
    if (isFit && !session.isLost) this.#free.push(session);
    else {
      this.#discard(session);
      // What one line died of the idle ones beside it did, too: else each costs another transaction its wait.
      for (const idle of this.#free.splice(0)) this.#discard(idle);
    }
    this.#waiting.shift()?.();
  }

  #discard(session: OwnSession): void {
    this.#all.delete(session);
    void session.sql.end({ timeout: 0 }).catch(() => undefined);
  }
}
