/** Something that is not as it follows from the rest, named by where it stands. */
export interface Difference {
  readonly what: string;
  readonly said: string;
  readonly computed: string;
}

/** Collects what differs; equal values leave no trace but a count. */
export class Comparison {
  readonly differences: Difference[] = [];
  #count = 0;

  /** How many values were compared. */
  get count(): number {
    return this.#count;
  }

  same(what: string, said: unknown, computed: unknown): void {
    this.#count += 1;
    const [left, right] = [JSON.stringify(said), JSON.stringify(computed)];
    if (left === right) return;
    this.differences.push({ what, said: left ?? 'nothing', computed: right ?? 'nothing' });
  }
}

export function differenceText({ what, said, computed }: Difference): string {
  return `${what}: said ${said}, computed ${computed}`;
}
