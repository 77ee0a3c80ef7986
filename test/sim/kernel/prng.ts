/** A small, fast generator (sfc32) that gives the same numbers on any machine. */
export class Prng {
  #a: number;
  #b: number;
  #c: number;
  #d = 1;

  /** Same seed and purpose, same numbers; purposes keep one another's numbers apart. */
  constructor(seed: number, purpose = '') {
    this.#a = 0x9e3779b9 ^ seed;
    this.#b = 0x243f6a88 ^ hashOf(purpose);
    this.#c = 0xb7e15162 ^ Math.floor(seed / 2 ** 32);
    for (let round = 0; round < 15; round += 1) this.next();
  }

  /** 32 bits. */
  next(): number {
    const sum = (this.#a + this.#b + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** An integer in [0, below). */
  below(below: number): number {
    return Math.floor((this.next() / 2 ** 32) * below);
  }

  /** An integer in [min, max]. */
  between(min: number, max: number): number {
    return min + this.below(max - min + 1);
  }

  happens(perThousand: number): boolean {
    return this.below(1000) < perThousand;
  }

  choose<T>(from: readonly [T, ...T[]]): T;
  choose<T>(from: readonly T[]): T | undefined;
  choose<T>(from: readonly T[]): T | undefined {
    return from[this.below(from.length)];
  }

  bytes(size: number): Buffer {
    const bytes = Buffer.alloc(size);
    for (let at = 0; at < size; at += 1) bytes[at] = this.next() & 0xff;
    return bytes;
  }
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}
