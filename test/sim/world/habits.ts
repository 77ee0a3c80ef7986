import type { Prng } from '../kernel/prng.ts';

export type Habit =
  | 'barely'
  | 'exploits'
  | 'fails'
  | 'freezes'
  | 'long'
  | 'ordinary'
  | 'releases'
  | 'repeats'
  | 'silent'
  | 'slow';

/** Of a hundred runs. */
const weights: readonly (readonly [Habit, number])[] = [
  ['ordinary', 43],
  // Works for longer than a lease, and only beats meanwhile.
  ['long', 7],
  // Sends its results when its lease is all but over.
  ['barely', 5],
  ['slow', 10],
  ['repeats', 9],
  ['silent', 7],
  ['freezes', 8],
  ['releases', 4],
  ['fails', 4],
  // Finds that the agent broke the rules, which discards the version at once.
  ['exploits', 3],
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
