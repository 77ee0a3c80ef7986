import { Dice } from '../fuzz/dice.ts';
import type { Category } from './hostile-request.ts';
import type { NumberedRequest } from './load/outcome.ts';

/** Makes request number `id` of a seed, the same one whatever was made before it. */
export class RequestSource {
  readonly #categories: readonly Category[];
  readonly #total: number;
  readonly #seed: number;

  constructor(categories: readonly Category[], seed: number) {
    this.#categories = categories;
    this.#total = categories.reduce((sum, { share }) => sum + share, 0);
    this.#seed = seed;
  }

  make(id: number): NumberedRequest {
    const dice = new Dice(Math.imul(this.#seed, 0x9e3779b1) ^ Math.imul(id + 1, 0x85ebca6b));
    const category = this.#pick(dice.whole(0, this.#total - 1));
    return { ...category.make(dice), id, category: category.name };
  }

  #pick(at: number): Category {
    let rest = at;
    for (const category of this.#categories) {
      rest -= category.share;
      if (rest < 0) return category;
    }
    throw new Error('the shares do not add up');
  }
}
