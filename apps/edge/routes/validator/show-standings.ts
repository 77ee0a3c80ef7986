import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { PreparedAnswer } from '../../prepared-answer.ts';
import { scoreOut } from '../../wire/score.ts';
import { uuidOut } from '../../wire/uuid.ts';

const finisher = z.object({
  miner_hotkey: z.string(),
  agent_version_id: uuidOut,
  race_score: scoreOut,
});

export const weightStandings = z
  .object({
    eligible: z.boolean(),
    epoch_index: z.number().int().meta({
      description:
        'The block divided by 360; for some seconds after the turn it may be the one before',
    }),
    weight_overlay: z.record(z.string(), z.number()).meta({ description: 'Always empty' }),
    epoch_standings: z
      .object({
        top_hotkey: z.string().nullable(),
        t_burn: z.number(),
        finishers: z.array(finisher),
      })
      .nullable(),
  })
  .meta({ id: 'WeightStandings' });

/**
 * Two round trips at most in an epoch that has its row: one to Postgres, and every six seconds one to
 * the chain node. The first need of an epoch adds one command with one commit, and one read.
 */
export const showStandings = endpoint({
  method: 'get',
  path: '/v1/validator/weight-salt',
  role: 'validator',
  owner: 'nobody',
  summary: 'What weights are set from: one and the same snapshot for everybody in an epoch',
  trafficClass: 0,
  response: weightStandings,
  faults: ['CHAIN_UNAVAILABLE'],

  async handle({ caller }, { standings }) {
    const { epochIndex, body, isEligible } = await standings.for(caller.name);
    if (isEligible) return new PreparedAnswer({ body });
    return { eligible: false, epoch_index: epochIndex, weight_overlay: {}, epoch_standings: null };
  },
});
