import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';

export const unpin: Command = {
  name: 'unpin',
  says: 'Let your best eligible version race again',
  examples: [['paddock unpin', 'also when nothing is pinned']],
  async run(_asked, { client, out, isJson }) {
    const chosen = await client.deleteMinerRaceSelection();
    const { racing_agent_version_id: id } = chosen;
    if (isJson) out.line(JSON.stringify(chosen));
    else {
      out.line(
        id === null
          ? 'Nothing is pinned, and none of your versions is good enough to race yet.'
          : `Nothing is pinned: as the best one, version ${id} races.`,
      );
    }
    return exitCodes.done;
  },
};
