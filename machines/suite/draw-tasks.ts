import { fnv1a32 } from '../partition-of.ts';

export interface DrawableTask {
  readonly taskId: string;
  readonly family: string;
}

/**
 * Draws by a public seed, for tasks that need not be secret; the answer is in pack order. Within a family
 * those go before all others that are preferred.
 */
export function drawTasks<T extends DrawableTask>(
  tasks: readonly T[],
  count: number,
  seed: string,
  isPreferred: (task: T) => boolean = () => false,
): readonly T[] {
  const rankOf = (text: string) => rank(seed, text);
  const drawn = new Set(drawBalanced(tasks, count, rankOf, isPreferred));
  return tasks.filter((task) => drawn.has(task));
}

/**
 * Draws `count` tasks (all of them if there are fewer), balanced over families: no family gets a
 * second task more than another as long as it has tasks left. Of a family the preferred ones are
 * drawn first, then lower ranks, and the same ranks draw the same tasks, in the same order, from any
 * order of the pack.
 */
export function drawBalanced<T extends DrawableTask>(
  tasks: readonly T[],
  count: number,
  rankOf: (text: string) => number | string,
  isPreferred: (task: T) => boolean = () => false,
): readonly T[] {
  const families = ranked(
    [...Map.groupBy(tasks, ({ family }) => family)],
    rankOf,
    ([name]) => name,
  ).map(([, members]) => {
    const inOrder = ranked(members, rankOf, ({ taskId }) => taskId);
    return [...inOrder.filter(isPreferred), ...inOrder.filter((task) => !isPreferred(task))];
  });
  const drawn: T[] = [];
  for (let round = 0; drawn.length < Math.min(count, tasks.length); round++) {
    for (const members of families) {
      const task = members[round];
      if (task !== undefined && drawn.length < count) drawn.push(task);
    }
  }
  return drawn;
}

function ranked<T>(
  items: readonly T[],
  rankOf: (text: string) => number | string,
  nameOf: (item: T) => string,
): readonly T[] {
  return items
    .map((item) => ({ item, name: nameOf(item), rank: rankOf(nameOf(item)) }))
    .sort((left, right) => compare(left.rank, right.rank) || compare(left.name, right.name))
    .map(({ item }) => item);
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
