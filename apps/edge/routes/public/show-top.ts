import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { liveRead } from '../../public-reads/send-representation.ts';
import { topView } from '../../reads/top.ts';
import { challengeOf } from '../../wire/challenge.ts';
import { formatInstant, instant } from '../../wire/instant.ts';
import { scoreOfMicro, scoreOfNumeric, scoreOut } from '../../wire/score.ts';
import { uuidOut } from '../../wire/uuid.ts';

const top = z
  .object({
    suite_id: z.number().int().nullable(),
    computed_at: instant,
    top_agent_version_id: uuidOut.nullable(),
    top_miner_hotkey: z.string().nullable(),
    top_score: scoreOut.nullable(),
    challenge_threshold: scoreOut.nullable(),
    margin: scoreOut.nullable(),
    emission_weight: z.number(),
    policy: z.object({
      days_as_top: z.number().nullable(),
      emission_baseline_burn_rate: z.number(),
      margin_initial: z.number(),
      margin_half_life_days: z.number(),
      margin_floor: z.number(),
    }),
  })
  .meta({ id: 'Top' });

const dayMs = 86_400_000;
const unitsPerRace = 1e18;

export const showTop = endpoint({
  method: 'get',
  path: '/v1/public/top',
  role: 'public',
  owner: 'nobody',
  summary: 'The top agent, and what beating it takes now',
  trafficClass: 2,
  cache: liveRead,
  response: top,
  faults: [],

  async handle(_request, { config, sql }) {
    const view = await topView(sql);
    const policy = view.policy ?? {
      marginInitialMicro: config.marginInitialMicro,
      marginFloorMicro: config.marginFloorMicro,
      marginHalfLifeMs: Math.round(config.marginHalfLifeDays * dayMs),
      burnRateMicro: config.burnRateMicro,
    };
    const challenge = challengeOf({ ...view, policy });
    return {
      suite_id: view.suiteId,
      computed_at: formatInstant(view.nowMs),
      top_agent_version_id: view.top?.agentVersionId ?? null,
      top_miner_hotkey: view.top?.minerHotkey ?? null,
      top_score: scoreOfNumeric(view.top?.score ?? null),
      challenge_threshold: scoreOfNumeric(challenge?.threshold ?? null),
      margin: scoreOfNumeric(challenge?.margin ?? null),
      emission_weight: Number(view.topUnits) / unitsPerRace,
      policy: {
        days_as_top: view.top === null ? null : (view.nowMs - view.top.topAtMs) / dayMs,
        emission_baseline_burn_rate: scoreOfMicro(view.burnRateMicro ?? policy.burnRateMicro) ?? 0,
        margin_initial: scoreOfMicro(policy.marginInitialMicro) ?? 0,
        margin_half_life_days: policy.marginHalfLifeMs / dayMs,
        margin_floor: scoreOfMicro(policy.marginFloorMicro) ?? 0,
      },
    };
  },
});
