/**
 * Lets those who ask for the same thing at the same time share one load, without anybody getting
 * what is older than the question: who comes while a load runs gets the next one, for the running
 * one may have read before a write that the client has already seen acknowledged. So of each key at
 * most one load runs, and all who wait for the next one cost one more.
 */
export class SharedLoads<Value> {
  readonly #loads = new Map<string, RunningLoad<Value>>();

  /** What `load` of this or another caller gave that began after this call; rejects with it. */
  get(key: string, load: () => Promise<Value>): Promise<Value> {
    const running = this.#loads.get(key);
    if (running === undefined) return this.#start(key, load);
    running.next ??= running.ended.then(() => this.#start(key, load));
    return running.next;
  }

  /** Keys that are loaded now; none stays behind. */
  get size(): number {
    return this.#loads.size;
  }

  #start(key: string, load: () => Promise<Value>): Promise<Value> {
    const value = load();
    const running: RunningLoad<Value> = { ended: value.then(nothing, nothing), next: undefined };
    this.#loads.set(key, running);
    // Registered first: `next`, where there is one, begins after this and takes the place anew.
    void running.ended.then(() => this.#loads.delete(key));
    return value;
  }
}

interface RunningLoad<Value> {
  /** Resolves when the load is over, whatever came of it. */
  readonly ended: Promise<void>;
  next: Promise<Value> | undefined;
}

function nothing(): void {
  // Whoever asked hears of it.
}
