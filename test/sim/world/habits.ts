import type { Prng } from '../kernel/prng.ts';

export type Habit =
  | 'barely'
  | 'dawdles'
  | 'exploits'
  | 'fails'
  | 'freezes'
  | 'idles'
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

/** Of a thousand runs each; such a run takes as long as any may, which is long to wait for. */
const endlessEach = 12;

/**
 * How a validator treats the run that it was given. `rare` has numbers of its own: what seldom happens
 * moves nothing of what happens otherwise.
 */
export function chooseHabit(random: Prng, rare: Prng): Habit {
  const usual = usualHabit(random);
  const roll = rare.below(1000);
  // Beats and says nothing; tells of progress without an end. Until its run is taken away.
  if (roll < 2 * endlessEach) return roll < endlessEach ? 'idles' : 'dawdles';
  return usual;
}

function usualHabit(random: Prng): Habit {
  let roll = random.below(100);
  for (const [habit, weight] of weights) {
    roll -= weight;
    if (roll < 0) return habit;
  }
  return 'ordinary';
}
