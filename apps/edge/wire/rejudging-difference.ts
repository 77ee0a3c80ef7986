import { z } from 'zod';
import type { Config } from '../../../infra/config/config.ts';
import { estimatePayout } from '../../../machines/emission/payout.ts';
import type { RejudgingPreview } from '../../../machines/rejudging/preview.ts';
import { scoreOfNumeric, scoreOut } from './score.ts';
import { uuidOut } from './uuid.ts';

const both = <T extends z.ZodType>(value: T) => z.object({ before: value, after: value });
const score = both(scoreOut.nullable());
const rank = both(z.number().int().nullable());
const id = both(uuidOut.nullable());

const payout = both(
  z.object({
    /** Integers of 10^-18 of one race's emissions, as text. */
    units: z.string(),
    tao_per_day: z.number().nullable(),
    usd_per_day: z.number().nullable(),
  }),
);

const version = z.object({
  agent_version_id: uuidOut,
  is_judged: z.boolean(),
  qualifying_score: score,
  qualifying_rank: rank,
});

const race = z.object({
  race_id: uuidOut,
  race_number: z.number().int(),
  /** What a completed race came to stands: applying changes nothing of it. */
  is_frozen: z.literal(true),
  winner_agent_version_id: id,
  top_agent_version_id: id,
  /** With a top that did not race, where it is paid otherwise: its scores and ranks are null. */
  entrants: z.array(
    z.object({
      agent_version_id: uuidOut,
      is_judged: z.boolean(),
      race_score: score,
      weighted_score: score,
      race_rank: rank,
      is_eliminated: both(z.boolean()),
      payout,
    }),
  ),
  burn: payout,
});

export const rejudgingDifference = z.object({
  versions: z.array(version),
  /** Versions that are not listed, since nothing but their rank differs. */
  shifted_count: z.number().int(),
  races: z.array(race).meta({
    description:
      'Each after the ones before it as they would have ended, with the same entrants: 31 from the first judged on, those without a judged run only where they would have ended otherwise.',
  }),
});

export type TaoPrices = Pick<Config, 'subnetTaoPerDay' | 'taoUsd'>;

export function toDifference(
  { versions, shiftedCount = 0, races }: RejudgingPreview,
  prices: TaoPrices,
): z.input<typeof rejudgingDifference> {
  return {
    versions: versions.map((each) => ({
      agent_version_id: each.agentVersionId,
      is_judged: each.isJudged,
      qualifying_score: numbers(each.score),
      qualifying_rank: same(each.rank),
    })),
    shifted_count: shiftedCount,
    races: races.map((each) => ({
      race_id: each.raceId,
      race_number: each.raceNumber,
      is_frozen: true,
      winner_agent_version_id: same(each.winner),
      top_agent_version_id: same(each.top),
      entrants: each.entrants.map((entrant) => ({
        agent_version_id: entrant.agentVersionId,
        is_judged: entrant.isJudged,
        race_score: numbers(entrant.raceScore),
        weighted_score: numbers(entrant.weightedScore),
        race_rank: same(entrant.rank),
        is_eliminated: same(entrant.isEliminated),
        payout: payouts(entrant.units, prices),
      })),
      burn: payouts(each.burnUnits, prices),
    })),
  };
}

interface Both<T> {
  readonly was: T;
  readonly becomes: T;
}

function eachOf<T, R>({ was, becomes }: Both<T>, told: (value: T) => R) {
  return { before: told(was), after: told(becomes) };
}

function same<T>(difference: Both<T>) {
  return eachOf(difference, (value) => value);
}

function numbers(difference: Both<string | null>) {
  return eachOf(difference, scoreOfNumeric);
}

function payouts(difference: Both<string>, prices: TaoPrices) {
  return eachOf(difference, (units) => payoutOf(units, prices));
}

function payoutOf(units: string, { subnetTaoPerDay, taoUsd }: TaoPrices) {
  const { taoPerDay, usdPerDay } = estimatePayout(BigInt(units), subnetTaoPerDay, taoUsd);
  return {
    units,
    tao_per_day: scoreOfNumeric(taoPerDay),
    usd_per_day: scoreOfNumeric(usdPerDay),
  };
}
