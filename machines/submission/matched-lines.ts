import type { Fingerprints } from './fingerprints.ts';

/** A passage that two files have in common; lines count from 1, the last one is included. */
export interface MatchedLines {
  readonly firstLine: number;
  readonly lastLine: number;
  readonly sourceFirstLine: number;
  readonly sourceLastLine: number;
}

/** Whoever wants to see more reads both files. */
const passagesMax = 50;
/** Blank lines and comments, which no fingerprint has, do not cut a passage in two. */
const gapLines = 3;
/** What was also said elsewhere interrupts a passage and does not end it. */
const passagesOpen = 8;

/** Where `shared` stands in both files: the longest passages first. */
export function matchedLines(
  file: Fingerprints,
  source: Fingerprints,
  shared: ReadonlySet<number>,
): readonly MatchedLines[] {
  const placeInSource = new Map(source.hashes.map((hash, index) => [hash, index]));
  const passages: MatchedLines[] = [];
  for (const [index, hash] of file.hashes.entries()) {
    const place = shared.has(hash) ? placeInSource.get(hash) : undefined;
    if (place === undefined) continue;
    const next = {
      firstLine: file.firstLines[index] ?? 0,
      lastLine: file.lastLines[index] ?? 0,
      sourceFirstLine: source.firstLines[place] ?? 0,
      sourceLastLine: source.lastLines[place] ?? 0,
    };
    const nearest = passages.slice(-passagesOpen).findLastIndex((each) => continues(each, next));
    const at = Math.max(0, passages.length - passagesOpen) + nearest;
    const passage = nearest === -1 ? undefined : passages[at];
    if (passage === undefined) passages.push(next);
    else passages[at] = joined(passage, next);
  }
  return passages
    .toSorted((left, right) => length(right) - length(left) || left.firstLine - right.firstLine)
    .slice(0, passagesMax);
}

function continues(passage: MatchedLines, next: MatchedLines): boolean {
  return (
    next.firstLine <= passage.lastLine + gapLines &&
    next.sourceFirstLine >= passage.sourceFirstLine &&
    next.sourceFirstLine <= passage.sourceLastLine + gapLines
  );
}

function joined(passage: MatchedLines, next: MatchedLines): MatchedLines {
  return {
    ...passage,
    lastLine: Math.max(passage.lastLine, next.lastLine),
    sourceLastLine: Math.max(passage.sourceLastLine, next.sourceLastLine),
  };
}

const length = ({ firstLine, lastLine }: MatchedLines): number => lastLine - firstLine;
