import { RecentMap } from '../../../infra/cache/recent-map.ts';
import { sha256Hex } from '../../../infra/ids/ids.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { isHotkeyBanned, liveSession, type SessionRow } from '../reads/callers.ts';
import { BriefCache } from './brief-cache.ts';

// A ban must hold within a second of its commit, on edges that were not told of it.
const keepMs = 500;
const familiarMs = 600_000;
const familiarMax = 50_000;

/** What the database says of sessions and bans, at most half a second ago. */
export class Callers {
  readonly #sessions: BriefCache<SessionRow | undefined>;
  readonly #bans: BriefCache<boolean>;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** By the hash of a token, when its holder was let in last. */
  readonly #goodMs = new RecentMap<string, number>(familiarMax);

  constructor(sql: Sql, clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
    this.#sessions = new BriefCache({ keepMs, clock, load: (hash) => liveSession(sql, hash) });
    this.#bans = new BriefCache({ keepMs, clock, load: (hotkey) => isHotkeyBanned(sql, hotkey) });
  }

  async session(token: string): Promise<SessionRow | undefined> {
    return await this.#sessions.get(sha256Hex(token));
  }

  /** The token's holder was let in, or refused. */
  wasProved(token: string, isGood: boolean): void {
    if (isGood) this.#goodMs.set(sha256Hex(token), this.#clock.monotonicMs());
    else this.#goodMs.delete(sha256Hex(token));
  }

  /** Whether the token's holder was let in within the last ten minutes; says nothing of now. */
  isFamiliar(token: string): boolean {
    const goodMs = this.#goodMs.get(sha256Hex(token)) ?? Number.NEGATIVE_INFINITY;
    return this.#clock.monotonicMs() - goodMs < familiarMs;
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
