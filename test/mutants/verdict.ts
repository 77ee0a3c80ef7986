/** What a world said of one mutant; of none, it must say nothing. */
export interface Verdict {
  /** Tried until the first that showed something wrong. */
  readonly seeds: number;
  /** Of the simulator. */
  readonly steps: number | undefined;
  readonly violations: readonly {
    readonly invariant: string;
    readonly text: string;
    readonly step: number | undefined;
  }[];
}
