const sizeMin = 64;
/** Places that are moved with each one that is added: as many as there are long before it is full. */
const movedAtOnce = 8;

/**
 * Numbers from 0 on, found by what they stand for: where one would be, `isIt` says whether it is the one
 * that is looked for. Only added to; at most half full, so a miss is soon known. What outgrows its table
 * moves to a larger one little by little: a million at once would hold everybody up.
 */
export class HashIndex {
  readonly #hashOf: (number: number) => number;
  /** A number and one more; zero is an empty place. */
  #places = new Uint32Array(sizeMin);
  /** The smaller table, whole until all of it has moved. */
  #outgrown = new Uint32Array(0);
  #moved = 0;
  #count = 0;

  constructor(hashOf: (number: number) => number) {
    this.#hashOf = hashOf;
  }

  find(hash: number, isIt: (number: number) => boolean): number | undefined {
    return found(this.#places, hash, isIt) ?? found(this.#outgrown, hash, isIt);
  }

  /** Of what was not found. */
  add(hash: number, number: number): void {
    if ((this.#count + 1) * 2 > this.#places.length) {
      this.#outgrown = this.#places;
      this.#moved = 0;
      this.#places = new Uint32Array(this.#outgrown.length * 2);
    }
    this.#count += 1;
    this.#put(hash, number);
    this.#moveSome();
  }

  #put(hash: number, number: number): void {
    const mask = this.#places.length - 1;
    let place = hash & mask;
    while (this.#places[place] !== 0) place = (place + 1) & mask;
    this.#places[place] = number + 1;
  }

  #moveSome(): void {
    const until = Math.min(this.#moved + movedAtOnce, this.#outgrown.length);
    for (; this.#moved < until; this.#moved += 1) {
      const held = this.#outgrown[this.#moved] ?? 0;
      if (held !== 0) this.#put(this.#hashOf(held - 1), held - 1);
    }
    if (this.#moved === this.#outgrown.length) this.#outgrown = new Uint32Array(0);
  }
}

function found(
  places: Uint32Array,
  hash: number,
  isIt: (number: number) => boolean,
): number | undefined {
  const mask = places.length - 1;
  for (let place = hash & mask; ; place = (place + 1) & mask) {
    const held = places[place] ?? 0;
    if (held === 0) return undefined;
    if (isIt(held - 1)) return held - 1;
  }
}

/** Two numbers, spread over 32 bits. */
export function mixed(left: number, right: number): number {
  const product = Math.imul(Math.imul(left, 0x9e37_79b1) ^ right, 0x85eb_ca6b);
  return (product ^ (product >>> 15)) >>> 0;
}
