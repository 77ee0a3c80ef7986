import { z } from 'zod';
import { instant, integer, score, sha256, text, uuid } from './atoms.ts';

// What operators are answered about rejudgings: every field, and no other.

const both = <T extends z.ZodType>(value: T) => z.strictObject({ before: value, after: value });
const phase = z.enum(['QUALIFYING', 'RACE']);
const payout = both(
  z.strictObject({
    units: z.string().regex(/^\d+$/),
    tao_per_day: z.number().nullable(),
    usd_per_day: z.number().nullable(),
  }),
);

export const rejudgingSummary = z.strictObject({
  rejudging_id: uuid,
  status: z.enum(['OPEN', 'READY', 'APPLYING', 'APPLIED', 'CANCELLED']),
  suite_id: integer,
  criteria: z.strictObject({
    validator_hotkey: text.nullable(),
    agent_version_id: uuid.nullable(),
    phase: phase.nullable(),
    task_id: text.nullable(),
    env_pack_sha256: sha256.nullable(),
    claimed_from: instant.nullable(),
    claimed_until: instant.nullable(),
  }),
  reason: text.nullable(),
  created_by: text,
  created_at: instant,
  ended_at: instant.nullable(),
  end_reason: text.nullable(),
  runs: z.strictObject({
    selected: integer,
    evaluated: integer,
    applied: integer,
    failed: integer,
  }),
});

export const rejudgings = z.strictObject({
  total: integer,
  limit: integer,
  offset: integer,
  rejudgings: z.array(rejudgingSummary),
});

export const rejudging = rejudgingSummary.extend({
  items: z.array(
    z.strictObject({
      eval_run_id: uuid,
      agent_version_id: uuid,
      agent_name: text,
      validator_hotkey: text,
      phase,
      race_id: uuid.nullable(),
      validator_score: score,
      status: z.enum(['WAITING', 'RUNNING', 'JUDGED', 'APPLIED', 'DROPPED', 'ENDED']),
      reason: text.nullable(),
      attempts: integer,
      new_run: z
        .strictObject({ eval_run_id: uuid, validator_hotkey: text, validator_score: score })
        .nullable(),
      waiting: z
        .strictObject({
          hold_until: instant.nullable(),
          hold_reason: text.nullable(),
          able_validators: integer,
        })
        .nullable(),
    }),
  ),
  difference: z.strictObject({
    versions: z.array(
      z.strictObject({
        agent_version_id: uuid,
        is_judged: z.boolean(),
        qualifying_score: both(score.nullable()),
        qualifying_rank: both(integer.nullable()),
      }),
    ),
    shifted_count: integer,
    races: z.array(
      z.strictObject({
        race_id: uuid,
        race_number: integer,
        is_frozen: z.literal(true),
        winner_agent_version_id: both(uuid.nullable()),
        top_agent_version_id: both(uuid.nullable()),
        entrants: z.array(
          z.strictObject({
            agent_version_id: uuid,
            is_judged: z.boolean(),
            race_score: both(score.nullable()),
            weighted_score: both(z.number().nullable()),
            race_rank: both(integer.nullable()),
            is_eliminated: both(z.boolean()),
            payout,
          }),
        ),
        burn: payout,
      }),
    ),
  }),
});
export type Rejudging = z.infer<typeof rejudging>;
