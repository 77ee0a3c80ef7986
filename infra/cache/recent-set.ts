/**
 * A set of what was used lately: the last `max` at least, twice as many at most. Two generations, of
 * which the older is dropped whole: to find the oldest entry of one large Map takes longer the more
 * were deleted from it.
 */
export class RecentSet<Value> {
  readonly #max: number;
  #young = new Set<Value>();
  #old = new Set<Value>();

  constructor(max: number) {
    if (!(max >= 1)) throw new RangeError(`a set of at most ${max} values holds nothing`);
    this.#max = max;
  }

  /** Counts as a use. */
  has(value: Value): boolean {
    if (this.#young.has(value)) return true;
    if (!this.#old.has(value)) return false;
    this.add(value);
    return true;
  }

  add(value: Value): void {
    this.#young.add(value);
    if (this.#young.size < this.#max) return;
    this.#old = this.#young;
    this.#young = new Set();
  }

  delete(value: Value): void {
    this.#young.delete(value);
    this.#old.delete(value);
  }
}
