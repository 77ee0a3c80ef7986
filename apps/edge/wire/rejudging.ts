import { z } from 'zod';
import type { RejudgingCriteria } from '../../../actors/services/operator/messages.ts';
import type { Judging, Rejudging } from '../../../actors/services/operator/rejudging/reads.ts';
import type { RejudgingView } from '../../../actors/services/operator/rejudging/view.ts';
import { judgingStates } from '../../../machines/rejudging/progress.ts';
import { phases } from '../../../machines/types.ts';
import { formatInstant, formatInstantOrNull, instant } from './instant.ts';
import { reasonField } from './reason-field.ts';
import { rejudgingDifference, type TaoPrices, toDifference } from './rejudging-difference.ts';
import { scoreOfMicro, scoreOut } from './score.ts';
import { uuidOut } from './uuid.ts';

const criteria = z.object({
  validator_hotkey: z.string().nullable(),
  agent_version_id: uuidOut.nullable(),
  phase: z.enum(phases).nullable(),
  task_id: z.string().nullable(),
  env_pack_sha256: z.string().nullable(),
  claimed_from: instant.nullable(),
  claimed_until: instant.nullable(),
});

const summary = {
  rejudging_id: uuidOut,
  status: z.enum(['OPEN', 'READY', 'APPLYING', 'APPLIED', 'CANCELLED']),
  suite_id: z.number().int(),
  criteria,
  reason: z.string().nullable(),
  created_by: z.string(),
  created_at: instant,
  ended_at: instant.nullable(),
  end_reason: z.string().nullable(),
  runs: z.object({
    selected: z.number().int(),
    evaluated: z.number().int(),
    applied: z.number().int(),
    failed: z.number().int(),
  }),
};
export const rejudgingSummary = z.object(summary).meta({ id: 'RejudgingSummary' });

const item = z.object({
  eval_run_id: uuidOut,
  agent_version_id: uuidOut,
  agent_name: z.string(),
  validator_hotkey: z.string(),
  phase: z.enum(phases),
  race_id: uuidOut.nullable(),
  validator_score: scoreOut,
  status: z.enum(judgingStates),
  reason: reasonField('items.reason', 'Why nothing came of it, or will'),
  attempts: z.number().int(),
  new_run: z
    .object({ eval_run_id: uuidOut, validator_hotkey: z.string(), validator_score: scoreOut })
    .nullable(),
  waiting: z
    .object({
      hold_until: instant.nullable(),
      hold_reason: reasonField('hold_reason', 'Why it is not offered'),
      able_validators: z
        .number()
        .int()
        .meta({ description: 'Seen within the hour and allowed to take it; 0 waits for nobody.' }),
    })
    .nullable(),
});

export const rejudging = z
  .object({ ...summary, items: z.array(item), difference: rejudgingDifference })
  .meta({ id: 'Rejudging' });

export function toRejudgingSummary(row: Rejudging): z.input<typeof rejudgingSummary> {
  return {
    rejudging_id: row.rejudgingId,
    status: row.status,
    suite_id: row.suiteId,
    criteria: toCriteria(row.criteria),
    reason: row.reason,
    created_by: row.actor,
    created_at: formatInstant(row.createdAt),
    ended_at: formatInstantOrNull(row.appliedAt ?? row.cancelledAt),
    end_reason: row.endReason,
    runs: {
      selected: row.selected,
      evaluated: row.evaluated,
      applied: row.applied,
      failed: row.failed,
    },
  };
}

export function toRejudging(view: RejudgingView, prices: TaoPrices): z.input<typeof rejudging> {
  return {
    ...toRejudgingSummary(view.rejudging),
    items: view.judgings.map(toItem),
    difference: toDifference(view.preview, prices),
  };
}

function toCriteria(given: RejudgingCriteria): z.input<typeof criteria> {
  return {
    validator_hotkey: given.validatorHotkey,
    agent_version_id: given.agentVersionId,
    phase: given.phase,
    task_id: given.taskId,
    env_pack_sha256: given.envPackSha256,
    claimed_from: formatInstantOrNull(given.claimedFromMs),
    claimed_until: formatInstantOrNull(given.claimedUntilMs),
  };
}

function toItem(judging: Judging): z.input<typeof item> {
  const { newRunId, newHotkey, newScoreMicro, state } = judging;
  return {
    eval_run_id: judging.evalRunId,
    agent_version_id: judging.agentVersionId,
    agent_name: judging.agentName,
    validator_hotkey: judging.validatorHotkey,
    phase: judging.phase,
    race_id: judging.raceId,
    validator_score: scoreOfMicro(judging.scoreMicro) ?? 0,
    status: state,
    reason: judging.reason ?? judging.obstacle,
    attempts: judging.attempts,
    new_run:
      newRunId === null || newHotkey === null || newScoreMicro === null
        ? null
        : {
            eval_run_id: newRunId,
            validator_hotkey: newHotkey,
            validator_score: scoreOfMicro(newScoreMicro) ?? 0,
          },
    waiting:
      state === 'WAITING'
        ? {
            hold_until: formatInstantOrNull(judging.holdUntil),
            hold_reason: judging.holdReason,
            able_validators: judging.ableValidators,
          }
        : null,
  };
}
