import { type DrawableTask, drawBalanced } from '../suite/draw-tasks.ts';

export interface RaceDraw {
  readonly count: number;
  /** Ids of tasks that are public already: those of qualifying. */
  readonly excluded: ReadonlySet<string>;
  /** Keyed by a secret and the race, e.g. an HMAC in hex, so that nobody can tell the draw before. */
  readonly rank: (text: string) => string;
}

/**
 * The held-out tasks of one race, balanced over families. Any order of the pack gives the same tasks
 * in the same order.
 */
export function drawRaceTasks<T extends DrawableTask>(
  tasks: readonly T[],
  { count, excluded, rank }: RaceDraw,
): readonly T[] {
  const heldOut = tasks.filter(({ taskId }) => !excluded.has(taskId));
  return drawBalanced(heldOut, count, rank);
}
