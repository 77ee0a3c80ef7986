/**
 * How much of a file is in files that others submitted before it.
 *
 * 1. Only earlier files count: of two that are alike the later one is alike to the earlier one, and
 *    never the other way round.
 * 2. What a miner had in a file of its own before the other one had it is its own, for ever.
 * 3. What many had independently says little, and in the end nothing. Copies are not independent.
 * 4. Shares are fractions of integers, so that a verdict is the same wherever it is computed.
 *
 * A verdict refuses nothing. It tells operators where to look.
 */
import type { Fingerprints } from './fingerprints.ts';
import { type MatchedLines, matchedLines } from './matched-lines.ts';

export const similarityVerdicts = ['clean', 'suspicious', 'copy'] as const;
export type SimilarityVerdict = (typeof similarityVerdicts)[number];

/** A version that was submitted before the one that is looked at. */
export interface EarlierVersion {
  /** The lower the earlier. */
  readonly rank: number;
  /** Who is one miner has one author: its coldkey. */
  readonly author: string;
  /** Of the miner whose version is looked at. */
  readonly isOwn: boolean;
  readonly verdict: SimilarityVerdict | null;
  /** How many fingerprints its whole file has, kept by this modulus. */
  readonly hashCount: number;
  readonly modulus: number;
}

/** Which earlier versions have each fingerprint, by their numbers; of each hotkey the first will do. */
export interface Precedents {
  readonly holders: ReadonlyMap<number, readonly number[]>;
  readonly versions: ReadonlyMap<number, EarlierVersion>;
}

/** Of nothing, nothing: `whole` may be 0. */
export interface Share {
  readonly part: number;
  readonly whole: number;
}

export interface Match {
  /** The coarser one of the two files: of so many fingerprints one was looked at. */
  readonly modulus: number;
  /** Fingerprints that both have, those left out that were the miner's own before. */
  readonly sharedCount: number;
  /** Of the later file, what is in the earlier one; common code weighs less. */
  readonly share: Share;
  /** Of the earlier file, what is in the later one. */
  readonly sourceShare: Share;
  /** Both without weights, to see that nothing is left besides common code. */
  readonly plainShare: Share;
  readonly plainSourceShare: Share;
  readonly lines: readonly MatchedLines[];
}

/** What a fingerprint weighs that nobody has but the two files. */
export const fullWeight = 4;
/** So many others may have it before it weighs less: a teacher and one friend of his. */
const freeAuthors = 2;

/** 4, 4, 4, 3, 2, 1, 0 … for 0, 1, 2, 3 … independent authors. */
export function weightOf(authorCount: number): number {
  return Math.max(0, fullWeight - Math.max(0, authorCount - freeAuthors));
}

interface Standing {
  readonly weight: number;
  /** The first rank of the miner's own version with it, and of each other author's. */
  readonly ownRank: number;
  readonly rankOf: ReadonlyMap<string, number>;
}

const nobody: Standing = {
  weight: fullWeight,
  ownRank: Number.POSITIVE_INFINITY,
  rankOf: new Map(),
};

/** What is known of each fingerprint of a file before it is compared with one other. */
export type Standings = ReadonlyMap<number, Standing>;

export function standingsOf({ holders, versions }: Precedents): Standings {
  return new Map([...holders].map(([hash, numbers]) => [hash, standingOf(numbers, versions)]));
}

function standingOf(numbers: readonly number[], versions: Precedents['versions']): Standing {
  const rankOf = new Map<string, number>();
  const independent = new Set<string>();
  let ownRank = Number.POSITIVE_INFINITY;
  for (const number of numbers) {
    const version = versions.get(number);
    if (version === undefined) continue;
    const { author, rank, isOwn, verdict } = version;
    if (isOwn) {
      ownRank = Math.min(ownRank, rank);
      continue;
    }
    rankOf.set(author, Math.min(rankOf.get(author) ?? rank, rank));
    if (verdict !== 'copy') independent.add(author);
  }
  return { weight: weightOf(independent.size), ownRank, rankOf };
}

export interface Compared extends EarlierVersion {
  readonly fingerprints: Fingerprints;
}

/** A file beside one earlier file. */
export function compare(file: Fingerprints, earlier: Compared, standings: Standings): Match {
  // Both are looked at through the coarser of the two samples.
  const modulus = Math.max(file.modulus, earlier.fingerprints.modulus);
  const sampled = ({ hashes }: Fingerprints) => hashes.filter((hash) => hash % modulus === 0);
  const weight = (hash: number) => (standings.get(hash) ?? nobody).weight;
  const own = sampled(file);
  const other = sampled(earlier.fingerprints);
  const others = new Set(other);
  const shared = own.filter((hash) => others.has(hash) && !wasOwn(standings.get(hash), earlier));
  const part = sum(shared.map(weight));
  return {
    modulus,
    sharedCount: shared.length,
    share: { part, whole: sum(own.map(weight)) },
    sourceShare: { part, whole: sum(other.map(weight)) },
    plainShare: { part: shared.length, whole: own.length },
    plainSourceShare: { part: shared.length, whole: other.length },
    lines: matchedLines(file, earlier.fingerprints, new Set(shared)),
  };
}

/** Had the miner it before the other author? */
export function wasOwn(
  standing: Standing | undefined,
  { isOwn, author, rank }: EarlierVersion,
): boolean {
  if (isOwn || standing === undefined) return false;
  return standing.ownRank < Math.min(standing.rankOf.get(author) ?? rank, rank);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
