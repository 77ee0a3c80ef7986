import { fnv1a32 } from '../partition-of.ts';

export interface DrawableTask {
  readonly taskId: string;
  readonly family: string;
}

/**
 * Draws `count` tasks (all of them if there are fewer), balanced over families: no family gets a
 * second task more than another as long as it has tasks left. The same seed draws the same tasks
 * from any order of the pack; the answer is in pack order.
 */
export function drawTasks<T extends DrawableTask>(
  tasks: readonly T[],
  count: number,
  seed: string,
): readonly T[] {
  const families = [...Map.groupBy(tasks, ({ family }) => family)]
    .sort(([left], [right]) => compare(rank(seed, left), rank(seed, right)) || compare(left, right))
    .map(([, members]) => shuffled(members, seed));
  const drawn = new Set<T>();
  for (let round = 0; drawn.size < Math.min(count, tasks.length); round++) {
    for (const members of families) {
      const task = members[round];
      if (task !== undefined && drawn.size < count) drawn.add(task);
    }
  }
  return tasks.filter((task) => drawn.has(task));
}

function shuffled<T extends DrawableTask>(members: readonly T[], seed: string): readonly T[] {
  return members
    .map((task) => ({ task, rank: rank(seed, task.taskId) }))
    .sort((left, right) => {
      return compare(left.rank, right.rank) || compare(left.task.taskId, right.task.taskId);
    })
    .map(({ task }) => task);
}

/** FNV leaves neighbouring texts close together; three rounds of mixing spread them. */
function rank(seed: string, text: string): number {
  let mixed = fnv1a32(`${seed}\n${text}`);
  for (let round = 0; round < 3; round++) {
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) + round;
  }
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

function compare(left: number | string, right: number | string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
