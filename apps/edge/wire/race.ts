import { z } from 'zod';
import { racePolicy } from '../../../machines/race/policy.ts';
import { isRaceReleased } from '../../../machines/race/release.ts';
import type { RaceRow } from '../reads/races.ts';
import { formatInstant, formatInstantOrNull, instant } from './instant.ts';
import { racePolicyOut, toRacePolicy } from './policy.ts';
import { reasonField } from './reason-field.ts';
import { scoreOfNumeric, scoreOut } from './score.ts';
import { uuidOut } from './uuid.ts';

export const race = z
  .object({
    race_id: uuidOut,
    suite_id: z.number().int(),
    race_number: z.number().int(),
    status: z.enum([
      'QUALIFYING_OPEN',
      'QUALIFYING_CLOSED',
      'RACE_RUNNING',
      'RACE_COMPLETE',
      'RACE_CANCELLED',
    ]),
    qualifying_closes_at: instant,
    race_started_at: instant.nullable(),
    race_completed_at: instant.nullable(),
    race_cancelled_at: instant.nullable(),
    cancel_reason: reasonField('cancel_reason', 'Why it was cancelled', 'or an operator’s words'),
    created_at: instant,
    projected_completion_at: instant.nullable(),
    winner_agent_version_id: uuidOut.nullable(),
    winner_score: scoreOut.nullable(),
    qualifying_threshold: scoreOut,
    winner_agent_name: z.string().nullable(),
    qualifier_count: z.number().int(),
    scored_count: z.number().int(),
    top50_mean: scoreOut.nullable(),
    top50_std: scoreOut.nullable(),
    margin: scoreOut.nullable(),
    challenged_score: scoreOut.nullable(),
    promoted_agent_version_id: uuidOut.nullable(),
    policy: racePolicyOut.nullable(),
  })
  .meta({ id: 'Race' });

/** Overall, winner, anchor and what became of the top are public as soon as the race is complete, never before. */
export function hasPublicResult({ status }: Pick<RaceRow, 'status'>): boolean {
  return status === 'RACE_COMPLETE';
}

/** Its tasks, runs and artifacts follow later. */
export function isDetailReleased(row: Pick<RaceRow, 'nowMs' | 'releasedAt' | 'status'>): boolean {
  const { status, releasedAt, nowMs } = row;
  return isRaceReleased({ status, releasedAtMs: releasedAt?.getTime() ?? null }, nowMs);
}

export function toRace(row: RaceRow): z.infer<typeof race> {
  const isDecided = hasPublicResult(row);
  return {
    race_id: row.raceId,
    suite_id: row.suiteId,
    race_number: row.raceNumber,
    status: race.shape.status.parse(row.status),
    qualifying_closes_at: formatInstant(row.qualifyingClosesAt),
    race_started_at: formatInstantOrNull(row.startedAt),
    race_completed_at: formatInstantOrNull(row.completedAt),
    race_cancelled_at: formatInstantOrNull(row.cancelledAt),
    cancel_reason: row.cancelReason,
    created_at: formatInstant(row.openedAt),
    projected_completion_at: formatInstantOrNull(row.projectedCompletionAt),
    winner_agent_version_id: isDecided ? row.winnerAgentVersionId : null,
    winner_score: isDecided ? scoreOfNumeric(row.winnerScore) : null,
    qualifying_threshold: Number(row.qualifyingThreshold),
    winner_agent_name: isDecided ? row.winnerAgentName : null,
    qualifier_count: row.qualifierCount,
    scored_count: row.scoredCount,
    top50_mean: isDecided ? scoreOfNumeric(row.top50Mean) : null,
    top50_std: isDecided ? scoreOfNumeric(row.top50Std) : null,
    margin: isDecided ? scoreOfNumeric(row.margin) : null,
    challenged_score: isDecided ? scoreOfNumeric(row.challengedScore) : null,
    promoted_agent_version_id: isDecided ? row.promotedAgentVersionId : null,
    policy: isDecided ? toRacePolicy(racePolicy.parse(row.policy)) : null,
  };
}
