/**
 * A map with one layer of uncommitted changes. Reads see the changes; `commit` makes them the map,
 * `rollback` forgets them.
 */
export class Overlay<K, V> {
  readonly #base = new Map<K, V>();
  /** Undefined marks a deletion. */
  readonly #changes = new Map<K, V | undefined>();

  get(key: K): V | undefined {
    return this.#changes.has(key) ? this.#changes.get(key) : this.#base.get(key);
  }

  /** What is durable, whatever a batch in flight is about to change. */
  committed(key: K): V | undefined {
    return this.#base.get(key);
  }

  has(key: K): boolean {
    return this.get(key) !== undefined;
  }

  set(key: K, value: V): void {
    this.#changes.set(key, value);
  }

  delete(key: K): void {
    this.#changes.set(key, undefined);
  }

  /** Undefined marks a deletion. */
  changes(): ReadonlyMap<K, V | undefined> {
    return this.#changes;
  }

  /** What was read from the store: true already, so no part of any batch. */
  load(key: K, value: V): void {
    this.#base.set(key, value);
  }

  /** Forgets what can be read again. */
  evict(key: K): void {
    this.#base.delete(key);
  }

  *entries(): IterableIterator<[K, V]> {
    for (const [key, value] of this.#base) {
      if (!this.#changes.has(key)) yield [key, value];
    }
    for (const [key, value] of this.#changes) {
      if (value !== undefined) yield [key, value];
    }
  }

  *committedEntries(): IterableIterator<[K, V]> {
    yield* this.#base;
  }

  get committedSize(): number {
    return this.#base.size;
  }

  commit(): void {
    for (const [key, value] of this.#changes) {
      if (value === undefined) this.#base.delete(key);
      else this.#base.set(key, value);
    }
    this.#changes.clear();
  }

  rollback(): void {
    this.#changes.clear();
  }
}
