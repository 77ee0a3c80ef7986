import type { Fault } from '../../../machines/fault.ts';

export interface PlaceLimits {
  /** Of one key. */
  readonly perKeyMax: number;
  /** Of all keys. */
  readonly max: number;
}

export interface PlaceRefusals {
  readonly tooManyOfKey: (perKeyMax: number) => Fault;
  readonly tooMany: () => Fault;
}

/** In a crowd of half of all places: who is honest does one thing at a time, and may have lost one. */
const perKeyInCrowdMax = 2;

/**
 * Places of something that waits for bytes of its caller, and holds room of the edge meanwhile: without bounds one slow
 * key could fill the room for all. Nobody can take all of them, and in a crowd nobody more than two.
 */
export class SharedPlaces {
  readonly #limits: PlaceLimits;
  readonly #refusals: PlaceRefusals;
  readonly #byKey = new Map<string, number>();
  #taken = 0;

  constructor(limits: PlaceLimits, refusals: PlaceRefusals) {
    this.#limits = limits;
    this.#refusals = refusals;
  }

  /** @throws what the refusals say, when as many of the key or of all are taken as may be */
  async during<R>(key: string, work: () => Promise<R>): Promise<R> {
    const before = this.#byKey.get(key) ?? 0;
    this.#requirePlace(before);
    this.#byKey.set(key, before + 1);
    this.#taken += 1;
    try {
      return await work();
    } finally {
      this.#taken -= 1;
      const others = (this.#byKey.get(key) ?? 1) - 1;
      if (others === 0) this.#byKey.delete(key);
      else this.#byKey.set(key, others);
    }
  }

  #requirePlace(ofKey: number): void {
    const { perKeyMax, max } = this.#limits;
    if (ofKey >= perKeyMax) throw this.#refusals.tooManyOfKey(perKeyMax);
    const isCrowd = this.#taken >= max / 2;
    if (this.#taken < max && !(isCrowd && ofKey >= perKeyInCrowdMax)) return;
    throw this.#refusals.tooMany();
  }
}
