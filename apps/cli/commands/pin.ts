import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { versionOf } from '../version-of.ts';

export const pin: Command = {
  name: 'pin',
  says: 'Choose which of your versions races',
  places: [{ name: 'ID', says: 'of one of your versions, or the name of an agent: its latest' }],
  more: `A pin stays when you submit again, until you pin another version or unpin it. Between the close of
qualifying and the end of the race pins are locked.`,
  examples: [['paddock pin 019a…', 'that one races, whatever scores better']],
  async run(asked, desk) {
    const { client, out, isJson } = desk;
    const body = { agent_version_id: await versionOf(asked.place('ID'), desk) };
    const chosen = await client.putMinerRaceSelection({ body });
    if (isJson) out.line(JSON.stringify(chosen));
    else out.line(`Pinned: version ${chosen.racing_agent_version_id} races.`);
    return exitCodes.done;
  },
};
