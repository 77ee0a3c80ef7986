import type { Lab } from './lab.ts';

/** One part of `npm run bench`: a question with its figures. */
export interface Block {
  readonly name: string;
  /** Numbers of the goals that it speaks of. */
  readonly goals: readonly number[];
  /** Also part of a quick run. */
  readonly isQuick: boolean;
  /** Throws `WrongAnswers` instead of answering fast and wrong. */
  run(lab: Lab): Promise<readonly Figure[]>;
}

/**
 * `goal` and `must` are the better of the two bounds that the worse end of the interval still meets;
 * `told` has no bound.
 */
export type Tier = 'goal' | 'must' | 'missed' | 'told';

/** What stands beside ours, measured in the same run. */
export interface Beside {
  readonly name: string;
  readonly value: number;
}

/** One line of the report. */
export interface Figure {
  /** Of the table of goals; null where none speaks of it. */
  readonly goal: number | null;
  readonly what: string;
  readonly unit: string;
  /** The median over the rounds. */
  readonly ours: number;
  readonly floor?: Beside;
  readonly peer?: Beside;
  /** Ours to the peer or the floor that the bounds are about; none where they are about `ours`. */
  readonly ratio?: number;
  /** 95 % of the ratio, or of ours where there is no ratio. */
  readonly interval?: readonly [number, number];
  readonly must?: number;
  readonly aim?: number;
  readonly isHigherBetter: boolean;
  readonly tier: Tier;
  readonly note?: string;
}

/** The service, or what it is compared with, answered something that is not so: there is no figure. */
export class WrongAnswers extends Error {
  override name = 'WrongAnswers';
  readonly wrong: readonly string[];

  constructor(wrong: readonly string[]) {
    super(wrong.join('; '));
    this.wrong = wrong;
  }
}

/** Throws when there is anything wrong. */
export function mustBeRight(wrong: readonly string[]): void {
  if (wrong.length > 0) throw new WrongAnswers(wrong);
}
