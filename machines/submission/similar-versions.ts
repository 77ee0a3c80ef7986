import {
  type EarlierVersion,
  fullWeight,
  type Precedents,
  type Share,
  type Standings,
  wasOwn,
} from './similarity.ts';
import { isSwallowedTelling } from './similarity-verdict.ts';

/** Authors that are compared by how much of this file they have, besides the miner itself. */
const authorsMax = 3;
/** Those compared, too, by how much of a file of theirs is in this one: others with larger files hide nobody. */
const swallowedAuthorsMax = 3;
/** Half of what makes it suspicious: where less was found nothing else is read. */
const swallowedPercent = 25;
/** Versions of one author that are compared: which of them is the nearest only the files tell. */
const versionsPerAuthor = 5;

interface Tally {
  readonly number: number;
  readonly version: EarlierVersion;
  score: number;
  foundCount: number;
  foundWeight: number;
}

interface Author {
  readonly tallies: readonly Tally[];
  readonly total: number;
  readonly firstRank: number;
}

/**
 * The earlier versions worth comparing in full, by their numbers. An author's file grows over its
 * versions, and each fingerprint is known for the first of them: the nearest one is that which
 * brought most, or one of the last that brought any.
 *
 * @param modulus of the file that is looked at
 */
export function similarVersions(
  precedents: Precedents,
  standings: Standings,
  modulus: number,
): readonly number[] {
  const byAuthor = Map.groupBy(tallied(precedents, standings), ({ version }) =>
    version.isOwn ? null : version.author,
  );
  const own = byAuthor.get(null) ?? [];
  byAuthor.delete(null);
  const others = [...byAuthor.values()].map(toAuthor).toSorted(byTotal);
  const swallowed = others
    .slice(authorsMax)
    .flatMap((author) => mostSwallowed(author, modulus))
    .toSorted((left, right) => right.ratio - left.ratio || byTotal(left.author, right.author))
    .slice(0, swallowedAuthorsMax);
  const numbers = [
    ...nearest(own),
    ...others.slice(0, authorsMax).flatMap(({ tallies }) => nearest(tallies)),
    ...swallowed.flatMap(({ author, number }) => [number, ...nearest(author.tallies)]),
  ];
  return [...new Set(numbers)];
}

/** What few have says more; what all have decides where nothing else does. What was the miner's own is no match. */
function tallied({ holders, versions }: Precedents, standings: Standings): readonly Tally[] {
  const tallies = new Map<number, Tally>();
  for (const [hash, numbers] of holders) {
    const standing = standings.get(hash);
    const weight = standing?.weight ?? 0;
    for (const number of numbers) {
      const version = versions.get(number);
      if (version === undefined || wasOwn(standing, version)) continue;
      const tally = tallies.get(number) ?? toTally(number, version);
      tally.score += 2 * weight + 1;
      tally.foundCount += 1;
      tally.foundWeight += weight;
      tallies.set(number, tally);
    }
  }
  return [...tallies.values()];
}

const toTally = (number: number, version: EarlierVersion): Tally => ({
  ...{ number, version },
  ...{ score: 0, foundCount: 0, foundWeight: 0 },
});

function toAuthor(tallies: readonly Tally[]): Author {
  return {
    tallies,
    total: tallies.reduce((sum, { score }) => sum + score, 0),
    firstRank: Math.min(...tallies.map(({ version }) => version.rank)),
  };
}

const byTotal = (left: Author, right: Author): number =>
  right.total - left.total || left.firstRank - right.firstRank;

/** The version of an author of which the largest part is in this file, should that say anything. */
function mostSwallowed(author: Author, modulus: number) {
  return author.tallies
    .flatMap((tally) => {
      const coarser = Math.max(modulus, tally.version.modulus);
      const { part, whole } = swallowedShare(tally, coarser);
      const isTelling = isSwallowedTelling({ sharedCount: tally.foundCount, modulus: coarser });
      if (!isTelling || part * 100 < whole * swallowedPercent) return [];
      return [{ author, number: tally.number, ratio: part / whole }];
    })
    .toSorted((left, right) => right.ratio - left.ratio)
    .slice(0, 1);
}

/**
 * No more than the share by which it is judged, as what its author had before it is not counted. So nobody stands
 * above a file that is wholly inside without being found to be inside, too.
 */
function swallowedShare({ version, foundCount, foundWeight }: Tally, modulus: number): Share {
  const sampled = Math.ceil((version.hashCount * version.modulus) / modulus);
  const missing = Math.max(0, sampled - foundCount);
  return { part: foundWeight, whole: Math.max(1, foundWeight + fullWeight * missing) };
}

function nearest(tallies: readonly Tally[]): readonly number[] {
  const half = Math.ceil(versionsPerAuthor / 2);
  const most = tallies.toSorted(
    (left, right) => right.score - left.score || left.version.rank - right.version.rank,
  );
  const last = tallies.toSorted((left, right) => right.version.rank - left.version.rank);
  const chosen = [...most.slice(0, half), ...last.slice(0, versionsPerAuthor - half)];
  return [...new Set(chosen.map(({ number }) => number))];
}
