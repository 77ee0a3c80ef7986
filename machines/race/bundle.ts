import { z } from 'zod';
import { episodeOutcomes } from '../types.ts';
import { qualificationTypes } from './field.ts';
import { racePolicy } from './policy.ts';

/**
 * Everything that anybody needs to compute a race again, published once its detail is released. Rows
 * are as they were at the completion, whatever became of their versions later. Scores of aggregates
 * are texts with four decimal places, scores and rewards of runs integers of 10^-6, emission units
 * texts, instants Unix milliseconds.
 */
export const bundleFormat = 'paddock-race-bundle/1';

const score = z.string().regex(/^[01]\.\d{4}$/);
/** A version far below the races of its window has a negative one. */
const overall = z.string().regex(/^-?[0-2]\.\d{4}$/);
const micro = z.number().int().min(0).max(1_000_000);
/** What a calendar has. */
const instantMs = z.number().int().min(0).max(8.64e15);
const id = z.guid();

const race = z.object({
  race_id: id,
  suite_id: z.number().int(),
  race_number: z.number().int(),
  execution_kind: z.enum(['legacy_benchmark', 'envpack']),
  policy: racePolicy,
  opened_at: instantMs,
  qualifying_closes_at: instantMs,
  closed_at: instantMs,
  started_at: instantMs,
  completed_at: instantMs,
  qualifier_count: z.number().int(),
  scored_count: z.number().int(),
  winner_agent_version_id: id.nullable(),
  winner_score: overall.nullable(),
  top50_mean: score.nullable(),
  top50_std: score.nullable(),
  margin: score.nullable(),
  challenged_score: overall.nullable(),
  promoted_agent_version_id: id.nullable(),
});

const task = z.object({
  ordinal: z.number().int(),
  problem_id: id,
  task_id: z.string().nullable(),
  family: z.string().nullable(),
});

const windowSlot = z.object({
  race_id: id,
  race_number: z.number().int(),
  raw_score: score.nullable(),
  anchor: score,
  delta: overall,
  is_seed: z.boolean(),
});

const entrant = z.object({
  agent_version_id: id,
  agent_name: z.string(),
  version_number: z.number().int(),
  miner_hotkey: z.string(),
  qualification_type: z.enum(qualificationTypes),
  qualifying_score: score.nullable(),
  race_score: score.nullable(),
  score_low: score.nullable(),
  score_high: score.nullable(),
  weighted_score: overall.nullable(),
  race_rank: z.number().int().nullable(),
  score_window: z.array(windowSlot).nullable(),
  is_eliminated: z.boolean(),
  unfinished_reason: z.string().nullable(),
});

/** Of an envpack run by task, of a legacy run by problem (whose score the validator gave). */
const episodeResult = z.object({
  task_id: z.string(),
  outcome: z.enum(episodeOutcomes),
  verdict_correct: z.boolean(),
  reward_micro: micro.nullable(),
});
const problemResult = z.object({
  problem_id: id,
  status: z.string(),
  score_micro: micro.nullable(),
});

const run = z.object({
  eval_run_id: id,
  agent_version_id: id,
  validator_hotkey: z.string(),
  status: z.string(),
  is_included: z.boolean(),
  exclusion_reason: z.string().nullable(),
  score_micro: micro.nullable(),
  /** Null also where it did not count at the end: its validator was banned by then, or it was forgiven. */
  failure_class: z.string().nullable(),
  episode_results: z.array(episodeResult),
  problem_results: z.array(problemResult),
});

const pastRace = z.object({
  race_id: id,
  race_number: z.number().int(),
  anchor: score,
  raw_scores: z.record(id, score),
});

const top = z.object({
  agent_version_id: id,
  miner_hotkey: z.string(),
  score: overall,
  top_at: instantMs,
});

const seat = z.object({
  position: z.number().int(),
  seat: z.enum(['BURN', 'TOP', 'TAIL']),
  agent_version_id: id.nullable(),
  miner_hotkey: z.string().nullable(),
  weight: z.string().regex(/^\d+$/),
  units: z.string().regex(/^\d+$/),
});

export const raceBundle = z.strictObject({
  format: z.literal(bundleFormat),
  emission: z.array(seat),
  entrants: z.array(entrant),
  race,
  runs: z.array(run),
  tasks: z.array(task),
  /** Who reigned when the race completed, with the score that challengers had to beat. */
  top_before: top.nullable(),
  /** Completed races of the suite before it that count in Overall, newest first. */
  window: z.array(pastRace),
});
export type RaceBundle = z.infer<typeof raceBundle>;
