import type { RaceDetails } from '../client/schemas.generated.ts';
import type { Command } from '../command.ts';
import type { Desk } from '../desk.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { look } from '../look.ts';
import { raceLines } from '../race-report.ts';

export const race: Command = {
  name: 'race',
  says: 'Show the race of today, or another one',
  places: [
    {
      name: 'ID',
      says: 'of a race: paddock races lists them (default: the current)',
      isOptional: true,
    },
  ],
  options: { watch: { says: 'follow it until it is over', short: 'w' } },
  more: `On a terminal --watch draws the race anew every five seconds; elsewhere it writes it again whenever
something has changed, with --json one document a line.`,
  examples: [
    ['paddock race', 'who is in, and when it closes'],
    ['paddock race --watch', 'live, to the result'],
  ],
  async run(asked, desk) {
    const id = asked.placeOr('ID');
    const first = await detailsOf(id, desk);
    if (asked.isSet('watch') && first.race !== null) {
      return await watched(id ?? first.race.race_id, desk);
    }
    const { out, isJson, clock } = desk;
    if (isJson) out.line(JSON.stringify(first, null, 2));
    else for (const line of raceLines(first, clock.nowMs(), out)) out.line(line);
    return exitCodes.done;
  },
};

async function detailsOf(id: string | undefined, { client }: Desk): Promise<RaceDetails> {
  return id === undefined
    ? await client.getPublicRacesCurrent()
    : await client.getPublicRacesByRaceId({ race_id: id });
}

async function watched(id: string, desk: Desk): Promise<ExitCode> {
  const { out, isJson, clock } = desk;
  let told = '';
  for await (const now of look(() => detailsOf(id, desk), desk)) {
    const text = JSON.stringify(now);
    if (out.isLive && !isJson) out.redraw(raceLines(now, clock.nowMs(), out));
    else if (text !== told) {
      if (isJson) out.line(text);
      else for (const line of [...raceLines(now, clock.nowMs(), out), '']) out.line(line);
    }
    told = text;
    const status = now.race?.status;
    if (status === 'RACE_COMPLETE') return exitCodes.done;
    if (status === 'RACE_CANCELLED') return exitCodes.refused;
  }
  return exitCodes.interrupted;
}
