import { z } from 'zod';
import { readPage } from './public-page.ts';
import type { Service } from './whole-answer.ts';

const number = z.number().nullable();

const window = z.array(
  z.object({
    race_id: z.string(),
    race_number: z.number(),
    raw_score: number,
    anchor: number,
    delta: number,
    is_seed: z.boolean(),
  }),
);

const text = z.string().nullable();

const policy = z.object({
  qualifying_threshold: z.number(),
  margin_initial: z.number(),
  margin_half_life_days: z.number(),
  margin_floor: z.number(),
  emission_baseline_burn_rate: z.number(),
  required_successes_race: z.number(),
  elimination_share: z.number(),
  race_tasks: z.number(),
  race_limit_seconds: z.number(),
  score_window_races: z.number(),
});

const racePage = z.object({
  race: z.object({
    race_id: z.string(),
    suite_id: z.number(),
    race_number: z.number(),
    status: z.string(),
    created_at: z.string(),
    qualifying_closes_at: z.string(),
    race_started_at: text,
    race_completed_at: text,
    race_cancelled_at: text,
    cancel_reason: text,
    projected_completion_at: text,
    qualifying_threshold: z.number(),
    winner_agent_version_id: text,
    winner_agent_name: text,
    winner_score: number,
    qualifier_count: z.number(),
    scored_count: z.number(),
    top50_mean: number,
    top50_std: number,
    margin: number,
    challenged_score: number,
    promoted_agent_version_id: text,
    policy: policy.nullable(),
  }),
  qualifiers: z.array(
    z.object({
      agent_version_id: z.string(),
      agent_name: z.string(),
      version_number: z.number(),
      miner_hotkey: z.string(),
      qualification_type: z.string(),
      qualifying_score: number,
      race_score: number,
      weighted_score: number,
      race_rank: number,
      eliminated_at: text,
      is_discarded: z.boolean(),
      unfinished_reason: text,
      window: window.nullable(),
    }),
  ),
});
export type RacePage = z.infer<typeof racePage>;

export async function readRacePage(service: Service, raceId: string): Promise<RacePage> {
  return await readPage(service, `/v1/public/races/${raceId}`, racePage);
}

/** A score of the API is the same number as the bundle's text, or nothing where that is nothing. */
export const numberOf = (text: string | null) => (text === null ? null : Number(text));

/** An instant as the pages spell it. */
export const instantOf = (ms: number) => new Date(ms).toISOString();
