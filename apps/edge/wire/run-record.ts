import { z } from 'zod';
import { formatInstant, formatInstantOrNull, instant } from './instant.ts';
import type { PublicRun } from './public-run.ts';
import { reasonField } from './reason-field.ts';
import { scoreOfMicro, scoreOut } from './score.ts';
import { uuidOut } from './uuid.ts';

export const runStatus = z.enum([
  'PENDING',
  'CLAIMED',
  'RUNNING',
  'SUCCESS',
  'FAILED',
  'TIMED_OUT',
  'STALE',
  'CANCELLED',
]);

export const whyExcluded = reasonField(
  'exclusion_reason',
  'Why its success does not count',
  'or an operator’s words',
);

export const runRecord = z
  .object({
    eval_run_id: uuidOut,
    agent_version_id: uuidOut,
    suite_id: z.number().int(),
    race_id: uuidOut.nullable(),
    phase: z.enum(['QUALIFYING', 'RACE']),
    status: runStatus,
    execution_kind: z.enum(['legacy_benchmark', 'envpack']),
    validator_hotkey: z.string(),
    validator_name: z.string().nullable(),
    is_included: z.boolean(),
    exclusion_reason: whyExcluded,
    validator_score: scoreOut.nullable(),
    claimed_at: instant,
    started_at: instant.nullable(),
    completed_at: instant.nullable(),
    failure_reason: reasonField(
      'failure_reason',
      'Why it did not succeed',
      'or its validator’s words where that completed it',
    ),
    failure_class: reasonField('failure_class', 'Whose fault it was that it failed'),
  })
  .meta({ id: 'EvaluationRun' });

/** A run that ended without a validator's word (stale, cancelled) says why in its own end reason. */
export function toRunRecord(row: PublicRun): z.infer<typeof runRecord> {
  return {
    eval_run_id: row.evalRunId,
    agent_version_id: row.agentVersionId,
    suite_id: row.suiteId,
    race_id: row.raceId,
    phase: row.phase,
    status: runStatus.parse(row.status),
    execution_kind: row.executionKind,
    validator_hotkey: row.validatorHotkey,
    validator_name: null,
    is_included: row.isIncluded,
    exclusion_reason: row.exclusionReason,
    validator_score: scoreOfMicro(row.scoreMicro),
    claimed_at: formatInstant(row.claimedAt),
    started_at: formatInstantOrNull(row.startedAt),
    completed_at: formatInstantOrNull(row.completedAt),
    failure_reason: row.failureReason ?? row.endReason,
    failure_class: row.failureClass,
  };
}
