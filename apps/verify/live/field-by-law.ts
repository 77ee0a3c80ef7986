import type { Entrant, Fallback, FieldCandidate } from '../../../machines/race/field.ts';
import { tt } from './race-arithmetic.ts';

interface Law {
  readonly suiteId: number;
  readonly qualifyingThreshold: string;
}

/**
 * Who races by the words of rules.md ("Close") once more, for the checks: nothing here is the service's
 * own code, so that a mistake in its selection is seen.
 */
export function fieldByLaw(versions: readonly FieldCandidate[], law: Law) {
  const entrants: Entrant[] = [];
  const fallbacks: Fallback[] = [];
  for (const own of Map.groupBy(versions, ({ minerHotkey }) => minerHotkey).values()) {
    if (own.some(({ isMinerBanned }) => isMinerBanned)) continue;
    const pinned = own.find(({ isPinned }) => isPinned);
    const reason = pinned && whyUnusable(pinned, law);
    if (pinned && reason) fallbacks.push({ ...namesOf(pinned), reason });
    const entrant = pinned && !reason ? entered(pinned, 'PINNED') : unpinned(own, law);
    if (entrant) entrants.push(entrant);
  }
  return { entrants, fallbacks };
}

/** "Entered without doing anything, replaced only by their owner's pin or better version." */
function unpinned(own: readonly FieldCandidate[], law: Law): Entrant | undefined {
  const usable = own.filter((version) => whyUnusable(version, law) === undefined);
  const seated = foremost(usable.filter(isSeated));
  const qualified = foremost(usable.filter((version) => !isSeated(version)));
  if (seated && !(qualified && points(qualified) > points(seated))) {
    return entered(seated, seated.isTop ? 'INCUMBENT_TOP' : 'SURVIVOR');
  }
  return qualified && entered(qualified, 'QUALIFIED');
}

/** In the order in which they are said where several hold, on which the law is silent. */
const reasons: readonly [Fallback['reason'], (version: FieldCandidate, law: Law) => boolean][] = [
  ['discarded', ({ state }) => state === 'DISCARDED'],
  ['superseded_suite', (version, law) => version.suiteId !== law.suiteId],
  ['eliminated', ({ isEliminated }) => isEliminated],
  ['not_eligible', ({ state }) => state !== 'ELIGIBLE'],
  ['not_eligible', (version) => version.qualifyingScore === null && !isSeated(version)],
  [
    'below_threshold',
    (version, law) => !isSeated(version) && points(version) < tt(law.qualifyingThreshold),
  ],
];

function whyUnusable(version: FieldCandidate, law: Law): Fallback['reason'] | undefined {
  return reasons.find(([, holds]) => holds(version, law))?.[0];
}

/** "The highest qualifying score; ties: newer version, then smaller id." */
function foremost(versions: readonly FieldCandidate[]): FieldCandidate | undefined {
  const most = versions.map(points).reduce((left, right) => (left > right ? left : right), -1n);
  const highest = versions.filter((version) => points(version) === most);
  const newest = Math.max(...highest.map(({ submittedAt }) => submittedAt));
  const tied = highest.filter(({ submittedAt }) => submittedAt === newest);
  return tied.find((one) => tied.every((other) => one.agentVersionId <= other.agentVersionId));
}

function isSeated({ isSurvivor, isTop }: FieldCandidate): boolean {
  return isSurvivor || isTop;
}

/** No score is less than any. */
function points({ qualifyingScore }: FieldCandidate): bigint {
  return qualifyingScore === null ? -1n : tt(qualifyingScore);
}

function entered(
  version: FieldCandidate,
  qualificationType: Entrant['qualificationType'],
): Entrant {
  return { ...namesOf(version), qualificationType, qualifyingScore: version.qualifyingScore };
}

function namesOf({ agentVersionId, minerHotkey }: FieldCandidate) {
  return { agentVersionId, minerHotkey };
}
