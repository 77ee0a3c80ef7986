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
  | 'slow'
  | 'steady';

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

/** Each takes all but as long as any run may, or longer, which is long to wait for. */
const longest = [
  // Beats and says nothing, until its run is taken away.
  'idles',
  // Tells of progress without an end, until its run is taken away.
  'dawdles',
  // Works for longer than it may be without progress, tells of it on the way, and comes to an end.
  'steady',
] as const satisfies readonly Habit[];
/** Of a thousand runs. */
const longestEach = 12;

/**
 * How a validator treats the run that it was given. `rare` has numbers of its own: what seldom happens
 * moves nothing of what happens otherwise.
 */
export function chooseHabit(random: Prng, rare: Prng): Habit {
  const usual = usualHabit(random);
  return longest[Math.floor(rare.below(1000) / longestEach)] ?? usual;
}

function usualHabit(random: Prng): Habit {
  let roll = random.below(100);
  for (const [habit, weight] of weights) {
    roll -= weight;
    if (roll < 0) return habit;
  }
  return 'ordinary';
}
