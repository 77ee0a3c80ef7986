import { afterThisTurn, type Soon } from '../../../infra/clock/this-turn.ts';

/** So many travel in one statement. */
const togetherMax = 500;
/** Statements at a time, of a pool of as many connections: another would only wait behind them. */
const underWayMax = 2;

interface Asked<V> {
  readonly key: string;
  readonly answer: PromiseWithResolvers<V>;
}

/**
 * Loads together what is asked for in one turn of the event loop: a statement costs the database and us
 * many times what is looked up in it. Whoever asks waits no longer, for the turn ends at once.
 *
 * While two statements are under way, what is asked for is gathered for the next one, however many turns
 * that takes. So nobody waits for more than the one before his own, even where each takes the database
 * two hundred milliseconds: one for each turn would be more than it can answer, and a queue without an end.
 */
export class Gathered<V> {
  readonly #loadAll: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>;
  readonly #absent: V;
  readonly #soon: Soon;
  #asked: Asked<V>[] = [];
  #isTurnOpen = false;
  #underWay = 0;

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
    if (this.#isTurnOpen) return answer.promise;
    this.#isTurnOpen = true;
    this.#soon(() => {
      this.#isTurnOpen = false;
      this.#send();
    });
    return answer.promise;
  }

  #send(): void {
    while (this.#asked.length > 0 && this.#underWay < underWayMax) {
      void this.#settle(this.#asked.splice(0, togetherMax));
    }
  }

  async #settle(asked: readonly Asked<V>[]): Promise<void> {
    this.#underWay += 1;
    try {
      const found = await this.#loadAll(asked.map(({ key }) => key));
      for (const { key, answer } of asked) answer.resolve(found.get(key) ?? this.#absent);
    } catch (error) {
      // Who waits behind it would wait as long again for the same words of a database that is away.
      for (const { answer } of [...asked, ...this.#asked.splice(0)]) answer.reject(error);
    }
    this.#underWay -= 1;
    if (!this.#isTurnOpen) this.#send();
  }
}
