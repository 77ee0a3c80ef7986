import { sha256Hex } from '../../../infra/ids/ids.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { bannedHotkeys, liveSessions, type SessionRow } from '../reads/callers.ts';
import { BriefCache } from './brief-cache.ts';
import { Gathered } from './gathered.ts';
import { RecentlyProved } from './recently-proved.ts';

// A ban must hold within a second of its commit, on edges that were not told of it.
const keepMs = 500;

/** What the database says of sessions and bans, at most half a second ago. */
export class Callers {
  readonly #sessions: BriefCache<SessionRow | undefined>;
  readonly #bans: BriefCache<boolean>;
  /** Hashes of tokens whose holders were let in. */
  readonly #familiar: RecentlyProved;

  constructor(sql: Sql, clock: Pick<Clock, 'monotonicMs'>) {
    this.#familiar = new RecentlyProved(clock);
    const sessions = new Gathered<SessionRow | undefined>(
      (hashes) => liveSessions(sql, hashes),
      undefined,
    );
    const bans = new Gathered((hotkeys) => bannedHotkeys(sql, hotkeys), false);
    this.#sessions = new BriefCache({ keepMs, clock, load: (hash) => sessions.load(hash) });
    this.#bans = new BriefCache({ keepMs, clock, load: (hotkey) => bans.load(hotkey) });
  }

  async session(token: string): Promise<SessionRow | undefined> {
    return await this.#sessions.get(sha256Hex(token));
  }

  /** The token's holder was let in, or refused. */
  wasProved(token: string, isGood: boolean): void {
    if (isGood) this.#familiar.add(sha256Hex(token));
    else this.#familiar.delete(sha256Hex(token));
  }

  isFamiliar(token: string): boolean {
    return this.#familiar.has(sha256Hex(token));
  }

  async isBanned(hotkey: string): Promise<boolean> {
    return await this.#bans.get(hotkey);
  }

  /** After a logout: this edge must not answer the token once more. */
  forgetSession(token: string): void {
    this.#sessions.forget(sha256Hex(token));
    this.wasProved(token, false);
  }
}
