import { type AggregateScore, aggregateScore } from '../scoring/aggregate.ts';
import type { EntrantWork } from './field.ts';

/** Why an entrant has no score. Of all but the last the cause is its own. */
export type UnfinishedReason = 'DISCARDED' | 'BANNED' | 'AGENT_FAULT' | 'NOT_FINISHED';

/** Of one race: null until the included successes are as many as it asks for. */
export function raceScoreOf(
  entrant: EntrantWork,
  requiredSuccesses: number,
): AggregateScore | null {
  if (entrant.isDiscarded || entrant.isMinerBanned) return null;
  const scores = entrant.runs.flatMap(({ status, isIncluded, scoreMicro }) =>
    status === 'SUCCESS' && isIncluded && scoreMicro !== null ? [scoreMicro] : [],
  );
  return scores.length < requiredSuccesses ? null : aggregateScore(scores);
}

/** Of an entrant without a race score. */
export function unfinishedReasonOf(entrant: EntrantWork): UnfinishedReason {
  if (entrant.isDiscarded) return 'DISCARDED';
  if (entrant.isMinerBanned) return 'BANNED';
  const hasFault = entrant.runs.some(
    ({ faultClass }) => faultClass === 'AGENT' || faultClass === 'INTEGRITY',
  );
  return hasFault ? 'AGENT_FAULT' : 'NOT_FINISHED';
}
