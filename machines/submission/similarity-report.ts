import type { Fingerprints } from './fingerprints.ts';
import {
  type Compared,
  compare,
  type Match,
  type Precedents,
  type Share,
  type SimilarityVerdict,
  standingsOf,
  weightOf,
} from './similarity.ts';
import { graver, type Judged, judgeMatch, type SimilarityReason } from './similarity-verdict.ts';

/** Authors that a report names, besides the miner itself. */
const authorsMax = 3;

/** An earlier version with its file. */
export interface Source extends Compared {
  readonly id: string;
  /** Byte by byte the file that is looked at. */
  readonly isSameFile: boolean;
}

export interface ReportedMatch extends Judged, Match {
  readonly id: string;
  readonly isOwn: boolean;
  readonly isSameFile: boolean;
}

export interface SimilarityReport {
  readonly verdict: SimilarityVerdict;
  readonly reasons: readonly SimilarityReason[];
  /** Of the file, what is so common that it weighs less. */
  readonly commonShare: Share;
  /** Of each author the gravest version, or else the nearest; the gravest first, then by the share, then the earliest; the miner's own last. */
  readonly matches: readonly ReportedMatch[];
}

export function reportOn(
  file: Fingerprints,
  precedents: Precedents,
  sources: readonly Source[],
): SimilarityReport {
  const standings = standingsOf(precedents);
  const compared = sources
    .map((source) => ({ source, match: compare(file, source, standings) }))
    .filter(({ match }) => match.sharedCount > 0);
  const byAuthor = Map.groupBy(compared, ({ source }) => (source.isOwn ? null : source.author));
  // Most of a file may be of one version, and another version be wholly inside.
  const told = [...byAuthor.values()].flatMap((pairs) =>
    pairs.toSorted((left, right) => byVerdict(left, right) || byNearness(left, right)).slice(0, 1),
  );
  const matches = told.toSorted(byGravity).map(toReported);
  const own = matches.filter(({ isOwn }) => isOwn);
  const others = matches.filter(({ isOwn }) => !isOwn).slice(0, authorsMax);
  const common = [...standings.values()].filter(({ weight }) => weight < weightOf(0));
  return {
    verdict: others.reduce<SimilarityVerdict>(
      (worst, each) => graver(worst, each.verdict),
      'clean',
    ),
    reasons: [...new Set(others.slice(0, 1).flatMap(({ reasons }) => reasons))],
    commonShare: { part: common.length, whole: file.hashes.length },
    matches: [...others, ...own],
  };
}

interface Pair {
  readonly source: Source;
  readonly match: Match;
}

function toReported({ source, match }: Pair): ReportedMatch {
  const { id, isOwn, isSameFile } = source;
  const judged = isOwn ? { verdict: 'clean' as const, reasons: [] } : judgePair({ source, match });
  return { ...match, ...judged, id, isOwn, isSameFile };
}

const judgePair = ({ source, match }: Pair): Judged => judgeMatch(match, source.isSameFile);

/** The nearest file of one author: most in common, then least besides, then the earliest. */
function byNearness(left: Pair, right: Pair): number {
  return (
    Number(right.source.isSameFile) - Number(left.source.isSameFile) ||
    compareShares(right.match.plainShare, left.match.plainShare) ||
    compareShares(right.match.plainSourceShare, left.match.plainSourceShare) ||
    left.source.rank - right.source.rank
  );
}

function byGravity(left: Pair, right: Pair): number {
  return (
    Number(left.source.isOwn) - Number(right.source.isOwn) ||
    byVerdict(left, right) ||
    compareShares(right.match.share, left.match.share) ||
    left.source.rank - right.source.rank
  );
}

function byVerdict(left: Pair, right: Pair): number {
  const [one, two] = [verdictOf(left), verdictOf(right)];
  return one === two ? 0 : graver(one, two) === one ? -1 : 1;
}

const verdictOf = (pair: Pair): SimilarityVerdict =>
  pair.source.isOwn ? 'clean' : judgePair(pair).verdict;

/** Exact: the numbers stay far below 2^53. Nothing of nothing is the least. */
function compareShares(left: Share, right: Share): number {
  if (left.whole === 0 || right.whole === 0) return left.whole - right.whole;
  return left.part * right.whole - right.part * left.whole;
}
