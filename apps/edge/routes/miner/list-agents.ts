import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { agentsOfMiner, cooldownOf, latestVersionsOfMiner } from '../../reads/agent-versions.ts';
import { selectionOf } from '../../reads/selection.ts';
import { activeSuite } from '../../reads/suites.ts';
import { minerVersion, toMinerVersion } from '../../wire/agent-version.ts';
import { formatInstant, formatInstantOrNull, instant } from '../../wire/instant.ts';
import { raceSelectionFields, toRaceSelection } from '../../wire/race-selection.ts';
import { uuidOut } from '../../wire/uuid.ts';

const listing = z
  .object({
    agents: z.array(
      z.object({
        agent_id: uuidOut,
        miner_hotkey: z.string(),
        agent_name: z.string(),
        created_at: instant,
        latest_version: minerVersion,
      }),
    ),
    can_submit: z.boolean(),
    next_allowed_at: instant.nullable(),
    ...raceSelectionFields,
  })
  .meta({ id: 'MinerAgentListing' });

export const listAgents = endpoint({
  method: 'get',
  path: '/v1/miner/agents',
  role: 'miner',
  owner: 'caller',
  summary: "The caller's agents with their latest versions and the cooldown",
  trafficClass: 2,
  response: listing,
  faults: [],

  async handle({ caller }, { sql }) {
    const [agents, versions, selection, cooldown, suite] = await Promise.all([
      agentsOfMiner(sql, caller.name),
      latestVersionsOfMiner(sql, caller.name),
      selectionOf(sql, caller.name),
      cooldownOf(sql, caller.name),
      activeSuite(sql),
    ]);
    const latest = new Map(versions.map((version) => [version.agentId, version]));
    return {
      agents: agents.flatMap((agent) => {
        const version = latest.get(agent.agentId);
        // Its first version is being submitted while this is read.
        if (version === undefined) return [];
        return {
          agent_id: agent.agentId,
          miner_hotkey: agent.minerHotkey,
          agent_name: agent.agentName,
          created_at: formatInstant(agent.createdAt),
          latest_version: toMinerVersion(version, selection),
        };
      }),
      can_submit: cooldown.nextAllowedAt === null && suite !== undefined,
      next_allowed_at: formatInstantOrNull(cooldown.nextAllowedAt),
      ...toRaceSelection(selection.racing),
    };
  },
});
