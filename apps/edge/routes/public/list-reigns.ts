import { z } from 'zod';
import { refusal } from '../../../../machines/refusal.ts';
import { endpoint } from '../../endpoint.ts';
import { liveRead } from '../../public-reads/send-representation.ts';
import { suiteById } from '../../reads/suites.ts';
import { reigns } from '../../reads/top.ts';
import { formatInstant, formatInstantOrNull, instant } from '../../wire/instant.ts';
import { idText } from '../../wire/integer.ts';
import { scoreOut } from '../../wire/score.ts';
import { uuidOut } from '../../wire/uuid.ts';

const reign = z
  .object({
    agent_version_id: uuidOut,
    agent_name: z.string(),
    miner_hotkey: z.string(),
    version_number: z.number().int(),
    suite_id: z.number().int(),
    race_id: uuidOut,
    score: scoreOut,
    top_at: instant,
    ended_at: instant.nullable(),
  })
  .meta({ id: 'Reign' });

export const listReigns = endpoint({
  method: 'get',
  path: '/v1/public/top/history',
  role: 'public',
  owner: 'nobody',
  summary: 'All versions that ever were top, newest first',
  trafficClass: 2,
  cache: liveRead,
  query: z.object({ suite_id: idText.optional() }),
  response: z.array(reign),
  faults: ['SUITE_NOT_FOUND'],

  async handle({ query }, { sql }) {
    const { suite_id: suiteId } = query;
    const isKnown = suiteId === undefined || (await suiteById(sql, suiteId)) !== undefined;
    if (!isKnown) throw refusal('SUITE_NOT_FOUND');
    return (await reigns(sql, suiteId)).map((row) => ({
      agent_version_id: row.agentVersionId,
      agent_name: row.agentName,
      miner_hotkey: row.minerHotkey,
      version_number: row.versionNumber,
      suite_id: row.suiteId,
      race_id: row.raceId,
      score: Number(row.score),
      top_at: formatInstant(row.topAt),
      ended_at: formatInstantOrNull(row.endedAt),
    }));
  },
});
