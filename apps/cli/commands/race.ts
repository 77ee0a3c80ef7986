import type { RaceDetails } from '../client/schemas.generated.ts';
import type { Command } from '../command.ts';
import type { Desk } from '../desk.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { look } from '../look.ts';
import { raceOf } from '../race-of.ts';
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
    const given = asked.placeOr('ID');
    const id = given === undefined ? undefined : raceOf(given);
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
    const isOver = /^RACE_(COMPLETE|CANCELLED)$/.test(now.race?.status ?? '');
    const text = JSON.stringify(now);
    const lines = isJson ? [text] : raceLines(now, clock.nowMs(), out);
    if (out.isLive && !isJson && !isOver) out.redraw(lines);
    else if (text !== told) {
      // What was drawn makes room for what stays.
      out.redraw([]);
      for (const line of lines) out.line(line);
    }
    told = text;
    if (isOver) return now.race?.status === 'RACE_COMPLETE' ? exitCodes.done : exitCodes.refused;
  }
  return exitCodes.interrupted;
}
