import { afterThisTurn, type Soon } from '../../../infra/clock/this-turn.ts';

/** So many travel in one statement. */
const togetherMax = 500;

interface Asked<V> {
  readonly key: string;
  readonly answer: PromiseWithResolvers<V>;
}

/**
 * Loads together what is asked for in one turn of the event loop: a statement costs the database and us
 * many times what is looked up in it. Whoever asks waits no longer, for the turn ends at once.
 */
export class Gathered<V> {
  readonly #loadAll: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>;
  readonly #absent: V;
  readonly #soon: Soon;
  #asked: Asked<V>[] = [];

  /** @param absent what a key that `loadAll` leaves out is answered with */
  constructor(
    loadAll: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>,
    absent: V,
    soon: Soon = afterThisTurn,
  ) {
    this.#loadAll = loadAll;
    this.#absent = absent;
    this.#soon = soon;
  }

  load(key: string): Promise<V> {
    const answer = Promise.withResolvers<V>();
    this.#asked.push({ key, answer });
    if (this.#asked.length === 1) this.#soon(() => this.#send());
    return answer.promise;
  }

  #send(): void {
    const asked = this.#asked;
    this.#asked = [];
    for (let at = 0; at < asked.length; at += togetherMax) {
      void this.#settle(asked.slice(at, at + togetherMax));
    }
  }

  async #settle(asked: readonly Asked<V>[]): Promise<void> {
    try {
      const found = await this.#loadAll(asked.map(({ key }) => key));
      for (const { key, answer } of asked) answer.resolve(found.get(key) ?? this.#absent);
    } catch (error) {
      for (const { answer } of asked) answer.reject(error);
    }
  }
}
