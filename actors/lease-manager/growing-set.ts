/**
 * A set that never changes and of which larger ones are made at the price of one value. All that were
 * made one from the other share a table, of which each sees what came before it was made. Only a set
 * that was grown before, by a batch that failed, is copied.
 */
export class GrowingSet<V> {
  readonly #places: Map<V, number>;
  readonly size: number;

  private constructor(places: Map<V, number>, size: number) {
    this.#places = places;
    this.size = size;
  }

  static of<V>(values: Iterable<V>): GrowingSet<V> {
    const places = new Map([...new Set(values)].map((value, place) => [value, place]));
    return new GrowingSet(places, places.size);
  }

  has(value: V): boolean {
    return (this.#places.get(value) ?? this.size) < this.size;
  }

  with(value: V): GrowingSet<V> {
    if (this.has(value)) return this;
    if (this.#places.size !== this.size) return this.#alone().with(value);
    this.#places.set(value, this.size);
    return new GrowingSet(this.#places, this.size + 1);
  }

  #alone(): GrowingSet<V> {
    return GrowingSet.of([...this.#places.keys()].filter((value) => this.has(value)));
  }
}
