import { z } from 'zod';
import { refusal } from '../../../../machines/refusal.ts';
import { raceVariance } from '../../../../machines/scoring/variance.ts';
import { endpoint } from '../../endpoint.ts';
import { liveRead } from '../../public-reads/send-representation.ts';
import { judgedRuns } from '../../reads/judged-runs.ts';
import { raceById } from '../../reads/races.ts';
import { scoreOfNumeric } from '../../wire/score.ts';
import { uuid, uuidOut } from '../../wire/uuid.ts';

const variance = z
  .object({
    race_id: uuidOut,
    race_number: z.number().int(),
    n_pairs: z.number().int(),
    mean_spread: z.number().nullable(),
    median_spread: z.number().nullable(),
    max_spread: z.number().nullable(),
    spread_buckets: z.array(
      z.object({ threshold_pp: z.number(), count: z.number().int(), pct: z.number() }),
    ),
    validators: z.array(
      z.object({
        validator_hotkey: z.string(),
        validator_name: z.string().nullable(),
        pairs_evaluated: z.number().int(),
        mean_delta_vs_peers: z.number(),
        std_dev: z.number(),
        mean_score: z.number(),
      }),
    ),
  })
  .meta({ id: 'ValidatorVariance' });

/** Live while the race runs: the one exception from its seal. A cancelled race releases nothing. */
export const showValidatorVariance = endpoint({
  method: 'get',
  path: '/v1/public/races/{race_id}/validator-variance',
  role: 'public',
  owner: 'nobody',
  summary: 'How far the validators of a race differ over the same versions',
  trafficClass: 2,
  cache: liveRead,
  params: z.object({ race_id: uuid }),
  response: variance,
  faults: ['RACE_NOT_FOUND'],

  async handle({ params }, { sql }) {
    const race = await raceById(sql, params.race_id);
    if (race === undefined) throw refusal('RACE_NOT_FOUND');
    const isCancelled = race.status === 'RACE_CANCELLED';
    const told = raceVariance(isCancelled ? [] : await judgedRuns(sql, race.raceId));
    return {
      race_id: race.raceId,
      race_number: race.raceNumber,
      n_pairs: told.nPairs,
      mean_spread: scoreOfNumeric(told.meanSpread),
      median_spread: scoreOfNumeric(told.medianSpread),
      max_spread: scoreOfNumeric(told.maxSpread),
      spread_buckets: told.buckets.map(({ thresholdPp, count, pct }) => ({
        threshold_pp: thresholdPp,
        count,
        pct: Number(pct),
      })),
      validators: told.validators.map((one) => ({
        validator_hotkey: one.validatorHotkey,
        // No validator tells its name.
        validator_name: null,
        pairs_evaluated: one.pairsEvaluated,
        mean_delta_vs_peers: Number(one.meanDeltaVsPeers),
        std_dev: Number(one.stdDev),
        mean_score: Number(one.meanScore),
      })),
    };
  },
});
