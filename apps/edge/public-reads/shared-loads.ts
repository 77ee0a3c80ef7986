/**
 * Lets those who ask for the same thing at the same time share one load, without anybody getting
 * what is older than the question: who comes while a load runs gets the next one, for the running
 * one may have read before a write that the client has already seen acknowledged. So of each key at
 * most one load runs, and all who wait for the next one cost one more.
 */
export class SharedLoads<Value> {
  /**
   * Of keys that are loaded now, and of some that were. A map from which each key goes at once makes a
   * new table each time, among what is old, and leaves the last one there as garbage.
   */
  #places = new Map<string, Place<Value>>();
  #running = 0;

  /** What `load` of this or another caller gave that began after this call; rejects with it. */
  get(key: string, load: () => Promise<Value>): Promise<Value> {
    const place = this.#places.get(key) ?? this.#add(key);
    if (place.ended === undefined) return this.#start(place, load);
    place.next ??= place.ended.then(() => this.#start(place, load));
    return place.next;
  }

  /** Keys that are loaded now. */
  get size(): number {
    return this.#running;
  }

  #add(key: string): Place<Value> {
    if (this.#places.size >= 2 * this.#running + idleMax) this.#dropIdle();
    const place: Place<Value> = { ended: undefined, next: undefined };
    this.#places.set(key, place);
    return place;
  }

  #dropIdle(): void {
    const busy = [...this.#places].filter(([, { ended }]) => ended !== undefined);
    this.#places = new Map(busy);
  }

  #start(place: Place<Value>, load: () => Promise<Value>): Promise<Value> {
    const value = load();
    this.#running += 1;
    place.next = undefined;
    place.ended = value.then(nothing, nothing);
    // Registered first: `next`, where there is one, begins at once after this.
    void place.ended.then(() => {
      this.#running -= 1;
      place.ended = undefined;
    });
    return value;
  }
}

/** Places of keys that nobody asks for now, before they are given up. */
const idleMax = 256;

interface Place<Value> {
  /** Resolves when the load that runs is over, whatever came of it. */
  ended: Promise<void> | undefined;
  /** Of those who came while it runs. */
  next: Promise<Value> | undefined;
}

function nothing(): void {
  // Whoever asked hears of it.
}
