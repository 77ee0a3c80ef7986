type Numbers = Float64Array | Int32Array | Uint32Array | Uint8Array;

/** How much more than is needed now: a board grows by one at a time, and a copy of it costs. */
const room = 1.25;
const lengthMin = 64;

/** Numbers in a row, as many as were set: a million versions are no million objects. */
export class Column<A extends Numbers> {
  readonly #make: new (
    length: number,
  ) => A;
  #values: A;

  constructor(make: new (length: number) => A) {
    this.#make = make;
    this.#values = new make(lengthMin);
  }

  /** Zero where nothing was set. */
  get(at: number): number {
    return this.#values[at] ?? 0;
  }

  set(at: number, value: number): void {
    this.reserve(at + 1);
    this.#values[at] = value;
  }

  /** Until something is set beyond its end. */
  get values(): A {
    return this.#values;
  }

  reserve(length: number): void {
    if (length <= this.#values.length) return;
    const grown = new this.#make(Math.ceil(length * room));
    grown.set(this.#values);
    this.#values = grown;
  }
}
