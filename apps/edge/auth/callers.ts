import { sha256Hex } from '../../../infra/ids/ids.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { bannedHotkeys, liveSessions, type SessionRow } from '../reads/callers.ts';
import { Gathered } from '../reads/gathered.ts';
import { BriefCache } from './brief-cache.ts';
import { RecentlyProved } from './recently-proved.ts';

// A ban must hold within a second of its commit, on edges that were not told of it.
const keepMs = 500;

/** What the database says of sessions and bans, at most half a second ago. */
export class Callers {
  readonly #sessions: BriefCache<SessionRow | undefined>;
  readonly #bans: BriefCache<boolean>;
  /** Hashes of tokens whose holders were let in. */
  readonly #familiar: RecentlyProved;
  #last = { token: '', hash: '' };

  constructor(sql: Sql, clock: Pick<Clock, 'monotonicMs' | 'sleep'>) {
    this.#familiar = new RecentlyProved(clock);
    const sessions = new Gathered<SessionRow | undefined>(
      (hashes) => liveSessions(sql, hashes),
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
    this.noteProof(hash, false);
  }
}
