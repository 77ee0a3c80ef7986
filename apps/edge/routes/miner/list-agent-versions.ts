import { z } from 'zod';
import { refusal } from '../../../../machines/refusal.ts';
import { endpoint } from '../../endpoint.ts';
import { agentsOfMiner, versionsOfAgent } from '../../reads/agent-versions.ts';
import { selectionOf } from '../../reads/selection.ts';
import { minerVersion, toMinerVersion } from '../../wire/agent-version.ts';
import { uuid } from '../../wire/uuid.ts';

export const listAgentVersions = endpoint({
  method: 'get',
  path: '/v1/miner/agents/{agent_id}/versions',
  role: 'miner',
  owner: 'agent',
  summary: "Every version of one of the caller's agents, newest first",
  trafficClass: 2,
  params: z.object({ agent_id: uuid }),
  response: z.array(minerVersion),
  faults: ['AGENT_NOT_FOUND'],

  async handle({ caller, params }, { sql }) {
    const agents = await agentsOfMiner(sql, caller.name);
    if (!agents.some((agent) => agent.agentId === params.agent_id)) {
      throw refusal('AGENT_NOT_FOUND');
    }
    const [versions, selection] = await Promise.all([
      versionsOfAgent(sql, params.agent_id),
      selectionOf(sql, caller.name),
    ]);
    return versions.map((version) => toMinerVersion(version, selection));
  },
});
