import type { Match, Share, SimilarityVerdict } from './similarity.ts';

// Measured on unrelated modules of Python's own library: half share under 4 % with their nearest
// neighbour, nineteen of twenty under 23 %; above 40 % stand kin.
const suspiciousPercent = 30;
const copyPercent = 70;
/** Of an earlier file that went into a larger one, whatever else was put around it. */
const swallowedSuspiciousPercent = 50;
const swallowedCopyPercent = 85;
/** Some 40 lines; a shorter file is found in a larger one by chance. Of what was not sampled, which padding shrinks. */
const swallowedMin = 40;
/**
 * Of fewer samples a share says little: a half of them may be chance. What would be a copy is suspicious then. Among 57,000
 * pairs of unrelated modules, looked at through a modulus of 2 to 16, none was that did not share nine tenths.
 */
const samplesMin = 15;
/** Not even all of fewer says anything. */
const fewSamplesMin = 3;
/** All but the same file, though it be made of common code. */
const twinPercent = 90;
/** Fewer in common say too little: about seven lines. */
const tellingMin = 6;

export const similarityReasons = [
  'SAME_FILE',
  'MOST_IS_IN_EARLIER',
  'EARLIER_IS_INSIDE',
  'NOTHING_OF_ITS_OWN',
  'PART_IS_IN_EARLIER',
  'PART_OF_EARLIER_IS_INSIDE',
] as const;
export type SimilarityReason = (typeof similarityReasons)[number];

export interface Judged {
  readonly verdict: SimilarityVerdict;
  /** Every reason for the verdict; none where it is clean. */
  readonly reasons: readonly SimilarityReason[];
}

/** What one match with somebody else's file says. `isSameFile`: byte by byte. */
export function judgeMatch(match: Match, isSameFile: boolean): Judged {
  const copies = reasonsFor(copyRules, match);
  if (isSameFile && match.sharedCount > 0) copies.unshift('SAME_FILE');
  if (copies.length > 0) return { verdict: 'copy', reasons: copies };
  const suspicions = reasonsFor(suspicionRules, match);
  return { verdict: suspicions.length > 0 ? 'suspicious' : 'clean', reasons: suspicions };
}

type Rule = readonly [SimilarityReason, (match: Match) => boolean];

const copyRules: readonly Rule[] = [
  ['MOST_IS_IN_EARLIER', (match) => isTelling(match) && reaches(match.share, copyPercent)],
  ['EARLIER_IS_INSIDE', (match) => swallows(match, swallowedCopyPercent)],
  [
    'NOTHING_OF_ITS_OWN',
    (match) =>
      isTelling(match) &&
      reaches(match.plainShare, twinPercent) &&
      reaches(match.plainSourceShare, twinPercent),
  ],
];

const suspicionRules: readonly Rule[] = [
  ['PART_IS_IN_EARLIER', (match) => isTelling(match) && reaches(match.share, suspiciousPercent)],
  [
    'PART_OF_EARLIER_IS_INSIDE',
    (match) =>
      swallows(match, swallowedSuspiciousPercent) ||
      swallows(match, swallowedCopyPercent, fewSamplesMin),
  ],
];

function reasonsFor(rules: readonly Rule[], match: Match): SimilarityReason[] {
  return rules.filter(([, holds]) => holds(match)).map(([reason]) => reason);
}

const isTelling = ({ sharedCount }: Match): boolean => sharedCount >= tellingMin;

const swallows = (match: Match, percent: number, atLeast = samplesMin): boolean =>
  isSwallowedTelling(match) && match.sharedCount >= atLeast && reaches(match.sourceShare, percent);

/** Whether so much was found that the share of the earlier file says anything. */
export function isSwallowedTelling({
  sharedCount,
  modulus,
}: Pick<Match, 'sharedCount' | 'modulus'>): boolean {
  return sharedCount >= fewSamplesMin && sharedCount * modulus >= swallowedMin;
}

function reaches({ part, whole }: Share, percent: number): boolean {
  return part > 0 && part * 100 >= whole * percent;
}

const gravity: Readonly<Record<SimilarityVerdict, number>> = { clean: 0, suspicious: 1, copy: 2 };

export function graver(left: SimilarityVerdict, right: SimilarityVerdict): SimilarityVerdict {
  return gravity[left] >= gravity[right] ? left : right;
}
