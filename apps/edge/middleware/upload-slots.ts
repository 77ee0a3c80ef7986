import { Fault } from '../../../machines/fault.ts';

/**
 * How many uploads of one key are read at once. Each holds a place in the edge for as long as its
 * bytes come, so without a bound one slow key could fill the room for all.
 */
export class UploadSlots {
  readonly #max: number;
  readonly #underWay = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** @throws RATE_LIMITED when as many of the key are under way as may be */
  async during<R>(key: string, upload: () => Promise<R>): Promise<R> {
    const before = this.#underWay.get(key) ?? 0;
    if (before >= this.#max) {
      throw new Fault('RATE_LIMITED', `At most ${this.#max} uploads of a hotkey at once.`);
    }
    this.#underWay.set(key, before + 1);
    try {
      return await upload();
    } finally {
      const others = (this.#underWay.get(key) ?? 1) - 1;
      if (others === 0) this.#underWay.delete(key);
      else this.#underWay.set(key, others);
    }
  }
}
