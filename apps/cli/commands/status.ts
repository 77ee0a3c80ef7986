import type { Command } from '../command.ts';
import type { Desk } from '../desk.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { reportLines } from '../status-report.ts';
import { taskLines } from '../task-report.ts';
import { UsageError } from '../usage-error.ts';
import { versionOf } from '../version-of.ts';
import { versionNow, watchStatus } from '../watch-status.ts';

export const status: Command = {
  name: 'status',
  says: 'Say where a version is, why, and what comes next',
  places: [{ name: 'ID', says: 'of an agent version, or the name of your agent: its latest' }],
  options: {
    watch: { says: 'follow it until it has its score, or its race is over', short: 'w' },
    tasks: { says: 'what came of each task in each run, with what paddock download takes' },
  },
  more: `Everybody may ask. With --watch the exit code is 0 when the version became eligible, and 1 when it
was discarded or cancelled, or its miner is banned.`,
  examples: [
    ['paddock status 019a…', 'once'],
    ['paddock status 019a… --watch', 'until it has its score'],
    ['paddock status 019a… --tasks', 'task by task'],
  ],
  async run(asked, desk) {
    if (asked.isSet('tasks') && asked.isSet('watch')) {
      throw new UsageError('status takes --watch or --tasks, not both');
    }
    const id = await versionOf(asked.place('ID'), desk);
    if (asked.isSet('tasks')) return await showTasks(id, desk);
    if (asked.isSet('watch')) return await watchStatus(id, desk);
    const now = await versionNow(id, desk);
    const { out, isJson, clock } = desk;
    if (isJson) out.line(JSON.stringify(now, null, 2));
    else for (const line of reportLines(now, clock.nowMs(), out)) out.line(line);
    return exitCodes.done;
  },
};

async function showTasks(id: string, { client, out, isJson }: Desk): Promise<ExitCode> {
  const seen = await client.getPublicAgentVersionsProblems({ agent_version_id: id });
  if (isJson) out.line(JSON.stringify(seen, null, 2));
  else for (const line of taskLines(seen, out)) out.line(line);
  return exitCodes.done;
}
