import { z } from 'zod';
import { refusal } from '../../../../machines/refusal.ts';
import { endpoint } from '../../endpoint.ts';
import { similarityOf, similarSources } from '../../reads/similarity.ts';
import { similarity, toSimilarity } from '../../wire/similarity.ts';
import { uuid } from '../../wire/uuid.ts';

export const showSimilarity = endpoint({
  method: 'get',
  path: '/v1/admin/agent-versions/{agent_version_id}/similarity',
  role: 'operator',
  summary: 'Show how much of a version’s file is in files that were submitted before it, and where',
  trafficClass: 1,
  params: z.object({ agent_version_id: uuid }),
  response: similarity,
  faults: ['AGENT_VERSION_NOT_FOUND', 'STORE_UNAVAILABLE'],

  async handle({ params }, { sql, config }) {
    const row = await similarityOf(sql, params.agent_version_id);
    if (row === undefined) throw refusal('AGENT_VERSION_NOT_FOUND');
    const ids = (row.report?.matches ?? []).map(({ id }) => id);
    return toSimilarity(row, await similarSources(sql, ids), config.codeReleaseSeconds * 1000);
  },
});
