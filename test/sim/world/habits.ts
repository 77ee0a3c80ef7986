import type { Prng } from '../kernel/prng.ts';

export type Habit = 'fails' | 'freezes' | 'ordinary' | 'releases' | 'repeats' | 'silent' | 'slow';

/** Of a hundred runs. */
const weights: readonly (readonly [Habit, number])[] = [
  ['ordinary', 58],
  ['slow', 10],
  ['repeats', 9],
  ['silent', 7],
  ['freezes', 8],
  ['releases', 4],
  ['fails', 4],
];

/** How a validator treats the run that it was given. */
export function chooseHabit(random: Prng): Habit {
  let roll = random.below(100);
  for (const [habit, weight] of weights) {
    roll -= weight;
    if (roll < 0) return habit;
  }
  return 'ordinary';
}
