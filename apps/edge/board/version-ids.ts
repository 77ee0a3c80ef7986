import { Column } from './column.ts';
import { HashIndex, mixed } from './hash-index.ts';

const words = 4;
const digits = Buffer.from('0123456789abcdef');
/** Of a digit of 4 bits among the 32, its place in the text. */
const placeOf = Array.from('xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx').flatMap((each, place) =>
  each === 'x' ? [place] : [],
);

/** UUIDs by numbers from 0 on, 16 bytes each. */
export class VersionIds {
  readonly #words = new Column(Uint32Array);
  readonly #index = new HashIndex((number) => this.#hash(number));
  readonly #text = Buffer.from('00000000-0000-0000-0000-000000000000');
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

  /** Written digit by digit where the last one was: put together of parts it would leave ten times the garbage. */
  textOf(number: number): string {
    for (let word = 0, digit = 0; word < words; word += 1) {
      const value = this.#words.get(number * words + word);
      for (let shift = 28; shift >= 0; shift -= 4, digit += 1) {
        this.#text[placeOf[digit] ?? 0] = digits[(value >>> shift) & 15] ?? 0;
      }
    }
    return this.#text.toString('latin1');
  }

  /** Behind the others, to be compared with them and perhaps to stay. */
  #write(id: string): void {
    const hex = id.replaceAll('-', '');
    for (let word = 0; word < words; word += 1) {
      const value = Number.parseInt(hex.slice(word * 8, word * 8 + 8), 16);
      this.#words.set(this.#size * words + word, value);
    }
  }

  #hash(number: number): number {
    const of = (word: number) => this.#words.get(number * words + word);
    return mixed(mixed(of(0), of(1)), mixed(of(2), of(3)));
  }
}
