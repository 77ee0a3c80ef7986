/**
 * A map that holds at least the `max` entries used last, and at most twice as many. Two generations that
 * take turns: to look for the oldest key of one large map takes longer with each that was deleted
 * before it, and a use would have to delete its key to move it.
 */
export class RecentMap<Key, Value> {
  readonly #max: number;
  /** Used since the last turn, and those that were used before it but after the one before. */
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  constructor(max: number) {
    if (!(max >= 1)) throw new RangeError(`a map of at least ${max} entries holds nothing`);
    this.#max = max;
  }

  /** Counts as a use. */
  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.#keep(key, old);
    return old;
  }

  /** No use. */
  has(key: Key): boolean {
    return this.#young.has(key) || this.#old.has(key);
  }

  set(key: Key, value: Value): void {
    if (this.#young.has(key)) this.#young.set(key, value);
    else this.#keep(key, value);
  }

  delete(key: Key): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  /** The one of before, where there is one, is never seen again: the young are looked at first. */
  #keep(key: Key, value: Value): void {
    if (this.#young.size >= this.#max) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
