import { table } from '../../world/terminal.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { localTime } from '../show/moments.ts';
import { shortened } from '../show/plain-text.ts';

export const races: Command = {
  name: 'races',
  says: 'List past races, the latest first',
  options: { limit: { value: 'N', says: 'at most so many, up to 100 (default: 20)' } },
  examples: [['paddock races --limit 7', 'of the last week']],
  async run(asked, { client, out, isJson }) {
    const limit = asked.count('limit', { min: 1, max: 100 });
    const history = await client.getPublicRacesHistory({ limit });
    if (isJson) {
      out.line(JSON.stringify(history, null, 2));
      return exitCodes.done;
    }
    const rows = history.races.map((race) => [
      String(race.race_number),
      race.status,
      race.race_completed_at === null ? '–' : localTime(race.race_completed_at),
      `${race.scored_count} of ${race.qualifier_count}`,
      race.winner_agent_name === null ? '–' : shortened(race.winner_agent_name, 24),
      race.winner_score === null ? '–' : race.winner_score.toFixed(4),
      race.race_id,
    ]);
    const head = ['RACE', 'STATUS', 'COMPLETED', 'SCORED', 'WINNER', 'OVERALL', 'ID'];
    const lines = rows.length === 0 ? ['No race is over yet.'] : table([head, ...rows]);
    for (const line of lines) out.line(line);
    return exitCodes.done;
  },
};
