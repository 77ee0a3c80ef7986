/** Something that is not as it follows from the rest, or not as a page has it, named by where it stands. */
export interface Difference {
  readonly what: string;
  /** Both values, and whose they are. */
  readonly values: string;
}

/** Collects what differs and what cannot be told; equal values leave no trace but a count. */
export class Comparison {
  readonly differences: Difference[] = [];
  /** Sentences on what may be right for reasons that are not public: no proof of anything. */
  readonly doubts: string[] = [];
  #count = 0;

  /** How many values were compared. */
  get count(): number {
    return this.#count;
  }

  same(what: string, said: unknown, computed: unknown): void {
    this.#compare(what, [said, computed], (left, right) => `said ${left}, computed ${right}`);
  }

  /** Of a value that nothing in the bundle leads to, and that stands on a public page too. */
  published(what: string, said: unknown, page: unknown): void {
    const text = (left: string, right: string) => `${left} in the bundle, ${right} on its page`;
    this.#compare(what, [said, page], text);
  }

  doubt(sentence: string): void {
    this.doubts.push(sentence);
  }

  #compare(
    what: string,
    values: readonly [unknown, unknown],
    text: (left: string, right: string) => string,
  ): void {
    this.#count += 1;
    const [left, right] = [JSON.stringify(values[0]), JSON.stringify(values[1])];
    if (left === right) return;
    this.differences.push({ what, values: text(left ?? 'nothing', right ?? 'nothing') });
  }
}

export function differenceText({ what, values }: Difference): string {
  return `${what}: ${values}`;
}
