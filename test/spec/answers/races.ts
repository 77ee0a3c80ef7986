import { z } from 'zod';
import { instant, integer, qualificationType, raceStatus, score, text, uuid } from './atoms.ts';
import { racePolicy } from './operator.ts';

// Specification, race history and validator variance; contract 5, Qualifier.

export const race = z.strictObject({
  race_id: uuid,
  suite_id: integer,
  race_number: integer,
  status: raceStatus,
  qualifying_closes_at: instant,
  race_started_at: instant.nullable(),
  race_completed_at: instant.nullable(),
  created_at: instant,
  projected_completion_at: instant.nullable(),
  winner_agent_version_id: uuid.nullable(),
  winner_score: z.number().nullable(),
  qualifying_threshold: score,
  winner_agent_name: text.nullable(),
  qualifier_count: integer,
  scored_count: integer,
  top50_mean: score.nullable(),
  top50_std: score.nullable(),
  // Beyond the specification: its cancellation, and what its bundle says of the challenge and the rules.
  race_cancelled_at: instant.nullable(),
  cancel_reason: text.nullable(),
  margin: score.nullable(),
  challenged_score: z.number().nullable(),
  promoted_agent_version_id: uuid.nullable(),
  policy: racePolicy.nullable(),
});

const qualifier = z.strictObject({
  agent_version_id: uuid,
  agent_name: text,
  miner_hotkey: text,
  version_number: integer,
  qualification_type: qualificationType,
  qualifying_score: score.nullable(),
  race_score: score.nullable(),
  weighted_score: z.number().nullable(),
  race_rank: integer.nullable(),
  eliminated_at: instant.nullable(),
  is_discarded: z.boolean(),
  // Beyond the contract, as its bundle says it.
  unfinished_reason: text.nullable(),
  window: z
    .array(
      z.strictObject({
        race_id: uuid,
        race_number: integer,
        raw_score: score.nullable(),
        anchor: score,
        delta: z.number(),
        is_seed: z.boolean(),
      }),
    )
    .nullable(),
});

export const raceDetails = z.strictObject({
  race: race.nullable(),
  qualifiers: z.array(qualifier),
});

export const raceHistory = z.strictObject({
  total: integer,
  limit: integer,
  offset: integer,
  races: z.array(race),
});

export const validatorVariance = z.strictObject({
  race_id: uuid,
  race_number: integer,
  n_pairs: integer,
  mean_spread: z.number().nullable(),
  median_spread: z.number().nullable(),
  max_spread: z.number().nullable(),
  spread_buckets: z.array(
    z.strictObject({ threshold_pp: z.number(), count: integer, pct: z.number() }),
  ),
  validators: z.array(
    z.strictObject({
      validator_hotkey: text,
      validator_name: text.nullable(),
      pairs_evaluated: integer,
      mean_delta_vs_peers: z.number(),
      std_dev: z.number(),
      mean_score: z.number(),
    }),
  ),
});
