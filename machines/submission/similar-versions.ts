import type { EarlierVersion, Precedents, Standings } from './similarity.ts';

/** Authors that a report names, besides the miner itself. */
export const authorsMax = 3;
/** Versions of one author that are compared: which of them is the nearest only the files tell. */
const versionsPerAuthor = 5;

interface Tally {
  readonly number: number;
  readonly version: EarlierVersion;
  score: number;
}

/**
 * The earlier versions worth comparing in full, by their numbers. An author's file grows over its
 * versions, and each fingerprint is known for the first of them: the nearest one is that which
 * brought most, or one of the last that brought any.
 */
export function similarVersions(precedents: Precedents, standings: Standings): readonly number[] {
  const byAuthor = Map.groupBy(tallied(precedents, standings), ({ version }) =>
    version.isOwn ? null : version.author,
  );
  const own = byAuthor.get(null) ?? [];
  byAuthor.delete(null);
  const others = [...byAuthor.values()].toSorted(
    (left, right) => total(right) - total(left) || firstRank(left) - firstRank(right),
  );
  return [own, ...others.slice(0, authorsMax)].flatMap(nearest);
}

/** What few have says more; what all have decides where nothing else does. */
function tallied({ holders, versions }: Precedents, standings: Standings): readonly Tally[] {
  const tallies = new Map<number, Tally>();
  for (const [hash, numbers] of holders) {
    const weight = standings.get(hash)?.weight ?? 0;
    for (const number of numbers) {
      const version = versions.get(number);
      if (version === undefined) continue;
      const tally = tallies.get(number) ?? { number, version, score: 0 };
      tally.score += 2 * weight + 1;
      tallies.set(number, tally);
    }
  }
  return [...tallies.values()];
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

function total(tallies: readonly Tally[]): number {
  return tallies.reduce((score, tally) => score + tally.score, 0);
}

function firstRank(tallies: readonly Tally[]): number {
  return tallies.reduce((rank, { version }) => Math.min(rank, version.rank), Infinity);
}
