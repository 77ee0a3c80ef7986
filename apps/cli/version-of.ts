import type { Desk } from './desk.ts';
import { exitCodes } from './exit-code.ts';
import { Failed } from './failure.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id of a version: as it was given, or of the latest one of your agent of that name. */
export async function versionOf(given: string, { client }: Desk): Promise<string> {
  if (uuid.test(given)) return given;
  const { agents } = await client.getMinerAgents();
  const agent = agents.find(({ agent_name: name }) => name === given);
  if (agent !== undefined) return agent.latest_version.agent_version_id;
  throw new Failed(
    `"${given}" is no id, and you have no agent of that name`,
    exitCodes.notFound,
    'See your agents and the ids of their versions with: paddock agents',
  );
}
