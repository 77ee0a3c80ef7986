import { Column } from './column.ts';
import { HashIndex, mixed } from './hash-index.ts';

const bytesMin = 4096;
const room = 1.25;
/** Of one UTF-16 unit. */
const utf8BytesMax = 3;

/** Texts, each once, by numbers from 0 on in the order in which they came. */
export class TextPool {
  #bytes = Buffer.alloc(bytesMin);
  readonly #ends = new Column(Uint32Array);
  readonly #index = new HashIndex((number) => this.#hash(this.begin(number), this.end(number)));
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Until a text is added. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Where each ends and the next begins; as long as `bytes`. */
  get ends(): Uint32Array {
    return this.#ends.values;
  }

  begin(number: number): number {
    return number === 0 ? 0 : this.#ends.get(number - 1);
  }

  end(number: number): number {
    return this.#ends.get(number);
  }

  textOf(number: number): string {
    return this.#bytes.toString('utf8', this.begin(number), this.end(number));
  }

  find(text: string): number | undefined {
    return this.#known(this.#write(text));
  }

  /** The text's number, a new one where it was not known. */
  intern(text: string): number {
    const end = this.#write(text);
    const known = this.#known(end);
    if (known !== undefined) return known;
    const number = this.#size;
    this.#ends.set(number, end);
    this.#index.add(this.#hash(this.begin(number), end), number);
    this.#size += 1;
    return number;
  }

  /** Behind the others, to be compared with them and perhaps to stay. */
  #write(text: string): number {
    const begin = this.begin(this.#size);
    this.#reserve(begin + text.length * utf8BytesMax);
    return begin + this.#bytes.write(text, begin);
  }

  #known(end: number): number | undefined {
    const begin = this.begin(this.#size);
    return this.#index.find(this.#hash(begin, end), (number) => this.#isAlike(number, begin, end));
  }

  #isAlike(number: number, begin: number, end: number): boolean {
    const from = this.begin(number);
    if (this.end(number) - from !== end - begin) return false;
    for (let at = 0; at < end - begin; at += 1) {
      if (this.#bytes[from + at] !== this.#bytes[begin + at]) return false;
    }
    return true;
  }

  #hash(begin: number, end: number): number {
    let hash = end - begin;
    for (let at = begin; at < end; at += 1) {
      hash = Math.imul(hash ^ (this.#bytes[at] ?? 0), 0x0100_0193);
    }
    return mixed(hash, 0);
  }

  #reserve(length: number): void {
    if (length <= this.#bytes.length) return;
    const grown = Buffer.alloc(Math.ceil(length * room));
    this.#bytes.copy(grown);
    this.#bytes = grown;
  }
}
