import { Column } from './column.ts';
import { HashIndex, mixed } from './hash-index.ts';

const words = 4;
const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** UUIDs by numbers from 0 on, 16 bytes each. */
export class VersionIds {
  readonly #words = new Column(Uint32Array);
  readonly #index = new HashIndex((number) => this.#hash(number));
  #size = 0;

  get size(): number {
    return this.#size;
  }

  find(id: string): number | undefined {
    this.#write(id);
    const looked = this.#size;
    return this.#index.find(this.#hash(looked), (number) => this.compare(number, looked) === 0);
  }

  /** Of an id that was not found. */
  add(id: string): number {
    this.#write(id);
    this.#index.add(this.#hash(this.#size), this.#size);
    this.#size += 1;
    return this.#size - 1;
  }

  /** In the order of the database, which is that of the bytes. */
  compare(left: number, right: number): number {
    for (let word = 0; word < words; word += 1) {
      const order = this.#words.get(left * words + word) - this.#words.get(right * words + word);
      if (order !== 0) return order;
    }
    return 0;
  }

  textOf(number: number): string {
    const of = (word: number) => this.#words.get(number * words + word);
    const [first, second, third, fourth] = [of(0), of(1), of(2), of(3)];
    const middle = `${pair(second >>> 16)}-${pair(second)}-${pair(third >>> 16)}-${pair(third)}`;
    return `${pair(first >>> 16)}${pair(first)}-${middle}${pair(fourth >>> 16)}${pair(fourth)}`;
  }

  /** Behind the others, to be compared with them and perhaps to stay. */
  #write(id: string): void {
    const digits = id.replaceAll('-', '');
    for (let word = 0; word < words; word += 1) {
      const value = Number.parseInt(digits.slice(word * 8, word * 8 + 8), 16);
      this.#words.set(this.#size * words + word, value);
    }
  }

  #hash(number: number): number {
    const of = (word: number) => this.#words.get(number * words + word);
    return mixed(mixed(of(0), of(1)), mixed(of(2), of(3)));
  }
}

function pair(twoBytes: number): string {
  return `${hexOfByte[(twoBytes >>> 8) & 255]}${hexOfByte[twoBytes & 255]}`;
}
