import type { BoardRow } from '../reads/board-rows.ts';
import { Column } from './column.ts';
import type { Hits, Miners } from './miners.ts';
import { Ranking } from './ranking.ts';

/** What an order asks of the board whose versions it puts in order. */
interface OrderRules {
  readonly miners: Miners;
  readonly agentOf: Column<Uint32Array>;
  /** It is eligible and has the score that the order is by. */
  isShown(version: number): boolean;
  /** Total: the better one first. */
  compare(left: number, right: number): number;
  /** Whether the row changes anything that the two above read. */
  isMovedBy(version: number, row: BoardRow): boolean;
}

/** Fewer hits than this are put in order; more are met on the way down the board. */
const fewHits = 4_096;
/** Versions met in search of them, shown or not, before going down the board is the shorter way. */
const metMax = 4 * fewHits;

/** Versions by one of their scores: who is shown, in which place, and how many of each miner and agent. */
export class BoardOrder {
  readonly #rules: OrderRules;
  readonly #ranking: Ranking;
  readonly #ofMiner = new Column(Uint32Array);
  readonly #ofAgent = new Column(Uint32Array);
  #miners = 0;

  constructor(rules: OrderRules) {
    this.#rules = rules;
    this.#ranking = new Ranking((left, right) => rules.compare(left, right));
  }

  get size(): number {
    return this.#ranking.size;
  }

  /** Those with a version that is shown. */
  get minerCount(): number {
    return this.#miners;
  }

  /** By agent, how many of its versions are shown. */
  get ofAgent(): Column<Uint32Array> {
    return this.#ofAgent;
  }

  at(place: number): number {
    return this.#ranking.at(place);
  }

  /** Has to be taken out before the row is written, and may be put in again afterwards. */
  isMovedBy(version: number, row: BoardRow): boolean {
    return this.#rules.isMovedBy(version, row);
  }

  /** Where it is to be shown. */
  add(version: number): void {
    if (!this.#rules.isShown(version)) return;
    this.#ranking.add(version);
    if (this.#count(version, 1) === 1) this.#miners += 1;
  }

  /** Where it is shown. */
  remove(version: number): void {
    if (!this.#rules.isShown(version)) return;
    this.#ranking.remove(version);
    if (this.#count(version, -1) === 0) this.#miners -= 1;
  }

  /** Of a page: of all, or of those that a search hit. */
  places(
    { offset, limit }: { readonly offset: number; readonly limit: number },
    hits: Hits | undefined,
  ): number[] {
    if (hits === undefined) {
      const end = Math.min(offset + limit, this.size);
      return Array.from({ length: Math.max(0, end - offset) }, (_, at) => offset + at);
    }
    if (offset >= hits.total) return [];
    const few = hits.total <= fewHits ? this.#placesOfFew(hits) : undefined;
    return few?.slice(offset, offset + limit) ?? this.#placesOfMany(hits, offset, limit);
  }

  /**
   * Undefined where they are better met on the way down: agents may have many versions more than are
   * shown, above all where few have raced.
   */
  #placesOfFew({ agents }: Hits): number[] | undefined {
    const places: number[] = [];
    const shown = this.#ofAgent.values;
    let rest = Math.min(this.size, metMax);
    for (let agent = 0; agent < shown.length; agent += 1) {
      if (agents[agent] !== 1 || shown[agent] === 0) continue;
      for (const version of this.#rules.miners.versionsOfAgent(agent)) {
        if (rest === 0) return undefined;
        rest -= 1;
        if (this.#rules.isShown(version)) places.push(this.#ranking.placeOf(version));
      }
    }
    return places.sort((left, right) => left - right);
  }

  #placesOfMany({ agents }: Hits, offset: number, limit: number): number[] {
    const places: number[] = [];
    const agentOf = this.#rules.agentOf.values;
    for (let place = 0, seen = 0; place < this.size && places.length < limit; place += 1) {
      if (agents[agentOf[this.#ranking.at(place)] ?? 0] !== 1) continue;
      if (seen >= offset) places.push(place);
      seen += 1;
    }
    return places;
  }

  /** @returns how many versions of its miner are shown then */
  #count(version: number, more: number): number {
    const agent = this.#rules.agentOf.get(version);
    const miner = this.#rules.miners.minerOf(agent);
    const ofMiner = this.#ofMiner.get(miner) + more;
    this.#ofMiner.set(miner, ofMiner);
    this.#ofAgent.set(agent, this.#ofAgent.get(agent) + more);
    return ofMiner;
  }
}
