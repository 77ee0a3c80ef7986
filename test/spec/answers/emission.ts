import { z } from 'zod';
import { instant, integer, score, text, uuid } from './atoms.ts';

// Contract 5: top, payout and top history; specification, Weight standings.

export const top = z.strictObject({
  suite_id: integer.nullable(),
  computed_at: instant,
  top_agent_version_id: uuid.nullable(),
  top_miner_hotkey: text.nullable(),
  top_score: z.number().nullable(),
  challenge_threshold: z.number().nullable(),
  margin: z.number().nullable(),
  emission_weight: score,
  policy: z.strictObject({
    days_as_top: z.number().nullable(),
    emission_baseline_burn_rate: score,
    margin_initial: score,
    margin_half_life_days: z.number(),
    margin_floor: score,
  }),
});

export const payout = z.strictObject({
  agent_name: text.nullable(),
  miner_hotkey: text.nullable(),
  tao_per_day: z.number().nullable(),
  usd_per_day: z.number().nullable(),
  computed_at: instant,
});

export const topHistory = z.array(
  z.strictObject({
    agent_version_id: uuid,
    agent_name: text,
    miner_hotkey: text,
    version_number: integer,
    suite_id: integer,
    race_id: uuid,
    score: z.number(),
    top_at: instant,
    ended_at: instant.nullable(),
  }),
);

export const weightStandings = z.strictObject({
  eligible: z.boolean(),
  epoch_index: integer,
  weight_overlay: z.record(text, z.number()),
  epoch_standings: z
    .strictObject({
      top_hotkey: text.nullable(),
      t_burn: z.number(),
      finishers: z.array(
        z.strictObject({ miner_hotkey: text, agent_version_id: uuid, race_score: score }),
      ),
    })
    .nullable(),
});
