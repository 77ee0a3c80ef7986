/** What happened how often, by name. */
export class Counters {
  readonly #counts = new Map<string, number>();

  add(name: string, by = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by);
  }

  get(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  merge(others: ReadonlyMap<string, number>): void {
    for (const [name, count] of others) this.add(name, count);
  }

  get all(): ReadonlyMap<string, number> {
    return new Map([...this.#counts].sort(([left], [right]) => (left < right ? -1 : 1)));
  }
}
