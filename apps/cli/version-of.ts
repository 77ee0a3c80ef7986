import type { Desk } from './desk.ts';
import { exitCodes } from './exit-code.ts';
import { Failed } from './failure.ts';
import { isId } from './ids.ts';

/** The id of a version: as it was given, or of the latest one of your agent of that name. */
export async function versionOf(given: string, { client }: Desk): Promise<string> {
  if (isId(given)) return given;
  const { agents } = await client.getMinerAgents();
  const agent = agents.find(({ agent_name: name }) => name === given);
  if (agent !== undefined) return agent.latest_version.agent_version_id;
  throw noneOfThatName(given);
}

export function noneOfThatName(given: string): Failed {
  return new Failed(
    `"${given}" is no id, and you have no agent of that name`,
    exitCodes.notFound,
    'See your agents and the ids of their versions with: paddock agents',
  );
}
