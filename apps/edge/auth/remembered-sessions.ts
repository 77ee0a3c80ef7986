import { RecentMap } from '../../../infra/cache/recent-map.ts';
import type { SessionRow } from '../reads/callers.ts';

/** Who beats each half minute was seen by then, also where one beat went to another edge. */
const rememberedMs = 90_000;
/** Longer than owners answer without their database. */
const outageMaxMs = 10_000;
/** Some 300 bytes each, and twice as many at most. */
const rememberedMax = 50_000;

/**
 * What the database last said of sessions, for requests that are to go on through a short outage of it.
 *
 * 1. Only while the database was just asked and could not answer, and not for long.
 * 2. Nobody who was banned or logged out when it was last asked. Where this edge alone is cut off from it,
 *    a later ban is the owner's to heed, which is told of it by a message; a later logout shows when the
 *    outage is over.
 */
export class RememberedSessions {
  readonly #known = new RecentMap<string, { readonly row: SessionRow; readonly askedMs: number }>(
    rememberedMax,
  );
  #failingSinceMs: number | undefined;

  get isFailing(): boolean {
    return this.#failingSinceMs !== undefined;
  }

  /** What was found of the hashes that the database was asked for at `askedMs`. */
  told(
    hashes: readonly string[],
    {
      found,
      askedMs,
    }: { readonly found: ReadonlyMap<string, SessionRow | undefined>; readonly askedMs: number },
  ): void {
    this.#failingSinceMs = undefined;
    for (const hash of hashes) {
      const row = found.get(hash);
      if (row === undefined || row.isBanned) this.#known.delete(hash);
      else this.#known.set(hash, { row, askedMs });
    }
  }

  /** The database could not be asked. */
  failed(nowMs: number): void {
    this.#failingSinceMs ??= nowMs;
  }

  get(hash: string, nowMs: number): SessionRow | undefined {
    const failingMs = nowMs - (this.#failingSinceMs ?? Number.NEGATIVE_INFINITY);
    if (failingMs > outageMaxMs) return undefined;
    const known = this.#known.get(hash);
    return known !== undefined && nowMs - known.askedMs < rememberedMs ? known.row : undefined;
  }

  forget(hash: string): void {
    this.#known.delete(hash);
  }
}
