import {
  type AgentFile,
  listAgents,
  type MinerOptions,
  submitAgent,
} from '../participants/simulated-miner.ts';

/**
 * The version that a miner brings to this day's qualifying; undefined when its file was refused. What a play
 * that was broken off has sent is this day's: its cooldown refuses another until the next one.
 */
export async function versionOfDay(
  miner: MinerOptions,
  file: AgentFile,
): Promise<string | undefined> {
  const { agents, next_allowed_at: nextAllowedAt } = await listAgents(miner);
  if (nextAllowedAt === null) return await submitAgent(miner, file);
  const sent = agents.find(({ agent_name: name }) => name === file.agentName);
  return sent?.latest_version?.agent_version_id ?? (await submitAgent(miner, file));
}
