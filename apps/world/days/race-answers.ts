import { z } from 'zod';

// What the play reads of each answer; fields that it does not use may come and go.
const score = z.number().nullable();
const instant = z.iso.datetime();

const race = z.object({
  race_id: z.string(),
  race_number: z.number(),
  status: z.string(),
  qualifying_closes_at: instant,
  race_started_at: instant.nullable(),
  race_completed_at: instant.nullable(),
  winner_agent_version_id: z.string().nullable(),
  winner_score: score,
  qualifier_count: z.number(),
  scored_count: z.number(),
  top50_mean: score,
  top50_std: score,
});
export type RaceAnswer = z.infer<typeof race>;

const qualifier = z.object({
  agent_version_id: z.string(),
  agent_name: z.string(),
  miner_hotkey: z.string(),
  version_number: z.number(),
  qualification_type: z.string(),
  qualifying_score: score,
  race_score: score,
  weighted_score: score,
  race_rank: z.number().nullable(),
  eliminated_at: instant.nullable(),
  window: z
    .array(
      z.object({
        race_number: z.number(),
        raw_score: score,
        delta: z.number(),
        is_seed: z.boolean(),
      }),
    )
    .nullable(),
});
export type QualifierAnswer = z.infer<typeof qualifier>;

export const raceDetails = z.object({ race, qualifiers: z.array(qualifier) });
export type RaceDetails = z.infer<typeof raceDetails>;
export const currentRace = z.object({ race: race.nullable(), qualifiers: z.array(qualifier) });

export const topAnswer = z.object({
  top_agent_version_id: z.string().nullable(),
  top_miner_hotkey: z.string().nullable(),
  top_score: score,
  challenge_threshold: score,
  margin: score,
});

export const standingsAnswer = z.object({
  eligible: z.boolean(),
  epoch_index: z.number(),
  epoch_standings: z
    .object({
      top_hotkey: z.string().nullable(),
      t_burn: z.number(),
      finishers: z.array(
        z.object({
          miner_hotkey: z.string(),
          agent_version_id: z.string(),
          race_score: z.number(),
        }),
      ),
    })
    .nullable(),
});
export type StandingsAnswer = z.infer<typeof standingsAnswer>;

export const varianceAnswer = z.object({
  n_pairs: z.number(),
  mean_spread: z.number().nullable(),
  max_spread: z.number().nullable(),
});
