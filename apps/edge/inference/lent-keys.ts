import { RecentMap } from '../../../infra/cache/recent-map.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { ProviderId } from '../../../infra/ports/inference.ts';

/** For one run at one provider. */
export interface LentKey {
  /** Its name on the bus. */
  readonly keyId: string;
  /** Secret; in memory alone. */
  readonly accessKey: string;
  /** Unix milliseconds of wall time. */
  readonly expiresAtMs: number;
}

export interface KeyWish {
  readonly evalRunId: string;
  readonly provider: ProviderId;
  /** The provider does not take it any more: another is wanted. */
  readonly refused?: string;
}

/** What the database says is lent for the wish, as it was read before: null where nothing is. */
export type Standing = string | null;

/** Live runs of one edge are hundreds. */
const keysMax = 5000;
// A completion that begins with the key must reach the provider before it ends.
const marginMs = 5000;

/** The providers' keys of the runs that ask this edge; lent once, by one request for all who wait. */
export class LentKeys {
  readonly #lend: (wish: KeyWish) => Promise<LentKey>;
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #keys = new RecentMap<string, Promise<LentKey>>(keysMax);

  constructor(lend: (wish: KeyWish) => Promise<LentKey>, clock: Pick<Clock, 'nowMs'>) {
    this.#lend = lend;
    this.#clock = clock;
  }

  /**
   * A key that was withdrawn since it was lent is good no more: its miner wants nothing spent by it, whatever
   * its provider still takes. One that is lent from now on was asked for later than `standing` was read.
   */
  async get(wish: KeyWish, standing?: Standing): Promise<LentKey> {
    const place = `${wish.evalRunId} ${wish.provider}`;
    const known = this.#keys.get(place);
    if (known !== undefined) {
      const key = await known;
      const isLent = standing === undefined || key.keyId === standing;
      if (isLent && key.keyId !== wish.refused && this.#isGood(key)) return key;
      // Somebody else may have asked meanwhile.
      if (this.#keys.get(place) === known) this.#keys.delete(place);
      else return await this.get(wish);
    }
    const lent = this.#lend(wish);
    this.#keys.set(place, lent);
    lent.catch(() => {
      if (this.#keys.get(place) === lent) this.#keys.delete(place);
    });
    return await lent;
  }

  #isGood({ expiresAtMs }: LentKey): boolean {
    return expiresAtMs - marginMs > this.#clock.nowMs();
  }
}
