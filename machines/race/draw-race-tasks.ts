import { type DrawableTask, drawBalanced } from '../suite/draw-tasks.ts';

export interface RaceDraw {
  readonly count: number;
  /** Keyed by a secret and the race, e.g. an HMAC in hex, so that nobody can tell the draw before. */
  readonly rank: (text: string) => string;
}

export interface DrawableRaceTask extends DrawableTask {
  /** By an earlier race, which has told its validators of the task and, once released, everybody. */
  readonly wasRaced: boolean;
}

/**
 * Of a suite's held-out tasks those of one race, balanced over families; of each family those that no
 * race had go first, as long as there are any. Any order of the pack gives the same tasks in the same
 * order.
 */
export function drawRaceTasks<T extends DrawableRaceTask>(
  heldOut: readonly T[],
  { count, rank }: RaceDraw,
): readonly T[] {
  return drawBalanced(heldOut, count, rank, ({ wasRaced }) => !wasRaced);
}
