import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { reportLines } from '../status-report.ts';
import { versionOf } from '../version-of.ts';
import { versionNow, watchStatus } from '../watch-status.ts';

export const status: Command = {
  name: 'status',
  says: 'Say where a version is, why, and what comes next',
  places: [{ name: 'ID', says: 'of an agent version, or the name of your agent: its latest' }],
  options: { watch: { says: 'follow it until it has its score', short: 'w' } },
  more: `Everybody may ask. With --watch the exit code is 0 when the version became eligible, and 1 when it
was discarded or cancelled.`,
  examples: [
    ['paddock status 019a…', 'once'],
    ['paddock status 019a… --watch', 'until it has its score'],
  ],
  async run(asked, desk) {
    const id = await versionOf(asked.place('ID'), desk);
    if (asked.isSet('watch')) return await watchStatus(id, desk);
    const now = await versionNow(id, desk);
    const { out, isJson, clock } = desk;
    if (isJson) out.line(JSON.stringify(now, null, 2));
    else for (const line of reportLines(now, clock.nowMs(), out)) out.line(line);
    return exitCodes.done;
  },
};
