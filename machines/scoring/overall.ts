import { divideHalfEven, fourPlaces, tenThousandths } from './exact.ts';

/** What a version did in one race; scores are texts with four decimal places. */
export interface RaceResult {
  readonly raceId: string;
  readonly raceNumber: number;
  readonly anchor: string;
  /** Null where the version did not race, or did not finish. */
  readonly rawScore: string | null;
}

export interface WindowSlot extends RaceResult {
  /** Raw score less anchor: how much better than the race the version was. */
  readonly delta: string;
  /** The slot says nothing about the version and counts as 0. */
  readonly isSeed: boolean;
}

export interface Overall {
  readonly weightedScore: string;
  readonly window: readonly WindowSlot[];
}

/**
 * The difficulty-adjusted average over the latest races of a suite, `results[0]` the race that it is
 * told for. The divisor is the window's size, also for a version or a suite that is newer than that.
 */
export function overallOf(results: readonly [RaceResult, ...RaceResult[]], size: number): Overall {
  const divisor = BigInt(size);
  const window = results.slice(0, size).map(slotOf);
  const deltas = window.reduce((total, { delta }) => total + tenThousandths(delta), 0n);
  const weighted = tenThousandths(results[0].anchor) * divisor + deltas;
  return { weightedScore: fourPlaces(divideHalfEven(weighted, divisor)), window };
}

function slotOf({ raceId, raceNumber, anchor, rawScore }: RaceResult): WindowSlot {
  const delta = rawScore === null ? 0n : tenThousandths(rawScore) - tenThousandths(anchor);
  const isSeed = rawScore === null;
  return { raceId, raceNumber, rawScore, anchor, delta: fourPlaces(delta), isSeed };
}
