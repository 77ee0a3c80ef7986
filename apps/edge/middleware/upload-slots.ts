import { refusal } from '../../../machines/refusal.ts';

export interface UploadLimits {
  /** Of one key. */
  readonly perKeyMax: number;
  /** Of all keys. */
  readonly max: number;
}

/** In a crowd of half of all places: a miner sends one file at a time, and may have lost one. */
const perKeyInCrowdMax = 2;

/**
 * How many uploads are read at once. Each holds a place in the edge for as long as its bytes come, so
 * without bounds one slow key could fill the room for all, and a few of them that of the claims.
 */
export class UploadSlots {
  readonly #limits: UploadLimits;
  readonly #byKey = new Map<string, number>();
  #underWay = 0;

  constructor(limits: UploadLimits) {
    this.#limits = limits;
  }

  /**
   * @throws RATE_LIMITED when as many of the key are under way as may be
   * @throws OVERLOADED when as many of all are, or when the key has its part of a crowd
   */
  async during<R>(key: string, upload: () => Promise<R>): Promise<R> {
    const before = this.#byKey.get(key) ?? 0;
    this.#requirePlace(before);
    this.#byKey.set(key, before + 1);
    this.#underWay += 1;
    try {
      return await upload();
    } finally {
      this.#underWay -= 1;
      const others = (this.#byKey.get(key) ?? 1) - 1;
      if (others === 0) this.#byKey.delete(key);
      else this.#byKey.set(key, others);
    }
  }

  #requirePlace(ofKey: number): void {
    const { perKeyMax, max } = this.#limits;
    if (ofKey >= perKeyMax) {
      throw refusal('RATE_LIMITED', {
        says: `At most ${perKeyMax} uploads of a hotkey may be under way at once.`,
        next: 'Wait until one of them has ended.',
      });
    }
    const isCrowd = this.#underWay >= max / 2;
    if (this.#underWay < max && !(isCrowd && ofKey >= perKeyInCrowdMax)) return;
    throw refusal('OVERLOADED', { says: 'Too many uploads are under way.' });
  }
}
