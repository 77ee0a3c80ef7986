import { z } from 'zod';
import { estimatePayout } from '../../../../machines/emission/payout.ts';
import { endpoint } from '../../endpoint.ts';
import { liveRead } from '../../public-reads/send-representation.ts';
import { topView } from '../../reads/top.ts';
import { formatInstant, instant } from '../../wire/instant.ts';
import { scoreOfNumeric } from '../../wire/score.ts';

const payout = z
  .object({
    agent_name: z.string().nullable(),
    miner_hotkey: z.string().nullable(),
    tao_per_day: z.number().nullable(),
    usd_per_day: z.number().nullable(),
    computed_at: instant,
  })
  .meta({ id: 'TopMinerPayout' });

export const showTopPayout = endpoint({
  method: 'get',
  path: '/v1/public/top-miner-payout',
  role: 'public',
  owner: 'nobody',
  summary: "The top miner's estimated payout per day",
  trafficClass: 2,
  cache: liveRead,
  response: payout,
  faults: [],

  async handle(_request, { config, sql }) {
    const { top, topUnits, nowMs } = await topView(sql);
    const nobody = { taoPerDay: null, usdPerDay: null };
    const { taoPerDay, usdPerDay } =
      top === null
        ? nobody
        : estimatePayout(BigInt(topUnits), config.subnetTaoPerDay, config.taoUsd);
    return {
      agent_name: top?.agentName ?? null,
      miner_hotkey: top?.minerHotkey ?? null,
      tao_per_day: scoreOfNumeric(taoPerDay),
      usd_per_day: scoreOfNumeric(usdPerDay),
      computed_at: formatInstant(nowMs),
    };
  },
});
