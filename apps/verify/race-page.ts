import { z } from 'zod';
import { readPage } from './public-page.ts';

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

const racePage = z.object({
  race: z.object({
    race_id: z.string(),
    suite_id: z.number(),
    race_number: z.number(),
    status: z.string(),
    race_completed_at: z.string().nullable(),
    qualifying_threshold: z.number(),
    winner_agent_version_id: z.string().nullable(),
    winner_score: number,
    qualifier_count: z.number(),
    scored_count: z.number(),
    top50_mean: number,
    top50_std: number,
  }),
  qualifiers: z.array(
    z.object({
      agent_version_id: z.string(),
      miner_hotkey: z.string(),
      qualification_type: z.string(),
      qualifying_score: number,
      race_score: number,
      weighted_score: number,
      race_rank: number,
      eliminated_at: z.string().nullable(),
      is_discarded: z.boolean(),
      window: window.nullable(),
    }),
  ),
});
export type RacePage = z.infer<typeof racePage>;

export async function readRacePage(url: string, raceId: string): Promise<RacePage> {
  return await readPage(`${url}/v1/public/races/${raceId}`, racePage);
}

/** A score of the API is the same number as the bundle's text, or nothing where that is nothing. */
export const numberOf = (text: string | null) => (text === null ? null : Number(text));

/** An instant as the pages spell it. */
export const instantOf = (ms: number) => new Date(ms).toISOString();
