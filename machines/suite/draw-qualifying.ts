import { type DrawableTask, drawTasks } from './draw-tasks.ts';

/** A task of a pack, and what other suites have made of it. */
export interface StandingTask extends DrawableTask {
  /** It qualifies in some suite, so everybody knows it. */
  readonly isPublic: boolean;
  /** A suite that has races holds it out; never of a task that is public. */
  readonly isHeldOut: boolean;
}

/**
 * The qualifying tasks of a suite whose operator names none, in pack order: balanced over families, of
 * each such as are public already, then such as nobody holds out. So suites of one pack show the same
 * tasks, and of two draws of other sizes one is part of the other.
 */
export function drawQualifying<T extends StandingTask>(
  tasks: readonly T[],
  count: number,
  seed: string,
): readonly T[] {
  const showable = tasks.filter(({ isHeldOut }) => !isHeldOut);
  return drawTasks(showable, count, seed, ({ isPublic }) => isPublic);
}
