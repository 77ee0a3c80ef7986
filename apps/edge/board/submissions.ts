/** Instants from one on, of which the number since a later one is asked for. */
export class Submissions {
  #from: number;
  #instants: number[] = [];
  #isSorted = true;

  constructor(from: number) {
    this.#from = from;
  }

  add(at: number): void {
    if (at <= this.#from) return;
    this.#isSorted &&= at >= (this.#instants.at(-1) ?? at);
    this.#instants.push(at);
  }

  /** Those after it. Earlier ones are forgotten: nobody may ask for one before it afterwards. */
  since(at: number): number {
    if (!this.#isSorted) this.#instants.sort((left, right) => left - right);
    this.#isSorted = true;
    this.#from = Math.max(this.#from, at);
    const forgotten = this.#instants.findIndex((each) => each > at);
    if (forgotten < 0) this.#instants = [];
    if (forgotten > 0) this.#instants.splice(0, forgotten);
    return this.#instants.length;
  }
}
