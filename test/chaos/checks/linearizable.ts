/** One operation on one object, as its callers saw it. */
export interface Operation {
  readonly callMs: number;
  /** Infinity when nobody knows whether and when it happened. */
  readonly returnMs: number;
  /** It may as well never have happened. */
  readonly isOptional: boolean;
}

/** What an object may do. A state is a value: the same text is the same state. */
export interface ObjectModel<O extends Operation> {
  readonly initial: string;
  /** The state after the operation, or undefined when its answer is impossible here. */
  step(state: string, operation: O): string | undefined;
}

export type Verdict<O> =
  | { readonly kind: 'linearizable' }
  /** The longest order that could be found, and what then fits nowhere. */
  | { readonly kind: 'impossible'; readonly done: readonly O[]; readonly left: readonly O[] }
  /** Too many orders are possible; nothing is known. */
  | { readonly kind: 'undecided' };

const visitedMax = 200_000;

/**
 * Whether the operations fit into one order in which each happens between its call and its return:
 * the search of Wing and Gong, with Lowe's memory of the (set of operations, state) seen before.
 */
export function checkLinearizable<O extends Operation>(
  model: ObjectModel<O>,
  operations: readonly O[],
): Verdict<O> {
  const sorted = operations.toSorted((a, b) => a.callMs - b.callMs);
  const search = new Search(model, sorted);
  return search.run();
}

class Search<O extends Operation> {
  readonly #model: ObjectModel<O>;
  readonly #operations: readonly O[];
  readonly #visited = new Set<string>();
  readonly #order: O[] = [];
  #best: readonly O[] = [];

  constructor(model: ObjectModel<O>, operations: readonly O[]) {
    this.#model = model;
    this.#operations = operations;
  }

  run(): Verdict<O> {
    if (this.#extend(0n, this.#model.initial)) return { kind: 'linearizable' };
    if (this.#visited.size >= visitedMax) return { kind: 'undecided' };
    const done = this.#best;
    const left = this.#operations.filter((each) => !each.isOptional && !done.includes(each));
    return { kind: 'impossible', done, left };
  }

  #extend(taken: bigint, state: string): boolean {
    if (this.#isComplete(taken)) return true;
    const key = `${taken} ${state}`;
    if (this.#visited.has(key) || this.#visited.size >= visitedMax) return false;
    this.#visited.add(key);
    const latestCallMs = this.#earliestReturnMs(taken);
    for (const [index, operation] of this.#operations.entries()) {
      // Something that has returned before this one was called must come first.
      if (operation.callMs > latestCallMs) break;
      const bit = 1n << BigInt(index);
      if ((taken & bit) !== 0n) continue;
      const next = this.#model.step(state, operation);
      if (next === undefined) continue;
      this.#order.push(operation);
      if (this.#order.length > this.#best.length) this.#best = [...this.#order];
      if (this.#extend(taken | bit, next)) return true;
      this.#order.pop();
    }
    return false;
  }

  #isComplete(taken: bigint): boolean {
    return this.#operations.every(
      ({ isOptional }, index) => isOptional || (taken & (1n << BigInt(index))) !== 0n,
    );
  }

  #earliestReturnMs(taken: bigint): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (const [index, { isOptional, returnMs }] of this.#operations.entries()) {
      const isLeft = (taken & (1n << BigInt(index))) === 0n;
      if (isLeft && !isOptional) earliest = Math.min(earliest, returnMs);
    }
    return earliest;
  }
}
