import { sha256Hex } from '../../../infra/ids/ids.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { isOutage } from '../../../infra/postgres/failure.ts';
import { bannedHotkeys, liveSessions, type SessionRow } from '../reads/callers.ts';
import { Gathered } from '../reads/gathered.ts';
import { BriefCache } from './brief-cache.ts';
import { RecentlyProved } from './recently-proved.ts';
import { RememberedSessions } from './remembered-sessions.ts';

// A ban must hold within a second of its commit, on edges that were not told of it.
const keepMs = 500;

/** What the database says of sessions and bans, at most half a second ago. */
export class Callers {
  readonly #sessions: BriefCache<SessionRow | undefined>;
  readonly #bans: BriefCache<boolean>;
  /** Hashes of tokens whose holders were let in. */
  readonly #familiar: RecentlyProved;
  readonly #remembered = new RememberedSessions();
  readonly #sql: Sql;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #last = { token: '', hash: '' };

  constructor(sql: Sql, clock: Pick<Clock, 'monotonicMs' | 'sleep'>) {
    this.#sql = sql;
    this.#clock = clock;
    this.#familiar = new RecentlyProved(clock);
    const sessions = new Gathered<SessionRow | undefined>(
      (hashes) => this.#liveSessions(hashes),
      undefined,
    );
    const bans = new Gathered((hotkeys) => bannedHotkeys(sql, hotkeys), false);
    this.#sessions = new BriefCache({ keepMs, clock, load: (hash) => sessions.load(hash) });
    this.#bans = new BriefCache({ keepMs, clock, load: (hotkey) => bans.load(hotkey) });
  }

  /** By what it stands for here, which nobody can ask with: a request asks with one token three times. */
  hashOf(token: string): string {
    if (token !== this.#last.token) this.#last = { token, hash: sha256Hex(token) };
    return this.#last.hash;
  }

  session(hash: string): Promise<SessionRow | undefined> {
    return this.#sessions.get(hash);
  }

  /** For what goes on through a short outage of the database: as it last said, where it cannot be asked. */
  async sessionInOutage(hash: string): Promise<SessionRow | undefined> {
    const asked = this.session(hash);
    if (this.#remembered.isFailing) {
      const known = this.#remembered.get(hash, this.#clock.monotonicMs());
      // Asked all the same: that is how the end of the outage shows.
      if (known !== undefined) return ignored(asked, known);
    }
    try {
      return await asked;
    } catch (error) {
      const known = this.#remembered.get(hash, this.#clock.monotonicMs());
      if (known === undefined || !isOutage(error)) throw error;
      return known;
    }
  }

  async #liveSessions(hashes: readonly string[]): Promise<ReadonlyMap<string, SessionRow>> {
    const askedMs = this.#clock.monotonicMs();
    try {
      const found = await liveSessions(this.#sql, hashes);
      this.#remembered.told(hashes, { found, askedMs });
      return found;
    } catch (error) {
      if (isOutage(error)) this.#remembered.failed(this.#clock.monotonicMs());
      throw error;
    }
  }

  /** The token's holder was let in, or refused. */
  noteProof(hash: string, isGood: boolean): void {
    if (isGood) this.#familiar.add(hash);
    else this.#familiar.delete(hash);
  }

  isFamiliar(hash: string): boolean {
    return this.#familiar.has(hash);
  }

  isBanned(hotkey: string): Promise<boolean> {
    return this.#bans.get(hotkey);
  }

  /** After a logout: this edge must not answer the token once more. */
  forgetSession(token: string): void {
    const hash = this.hashOf(token);
    this.#sessions.forget(hash);
    this.#remembered.forget(hash);
    this.noteProof(hash, false);
  }
}

function ignored<T>(asked: Promise<unknown>, known: T): T {
  asked.catch(() => undefined);
  return known;
}
