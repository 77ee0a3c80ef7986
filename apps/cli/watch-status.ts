import { table } from '../world/terminal.ts';
import type { Desk } from './desk.ts';
import { type ExitCode, exitCodes } from './exit-code.ts';
import { look } from './look.ts';
import { endOf, reportLines, standLines, timelineCells, type VersionNow } from './status-report.ts';

export async function versionNow(agentVersionId: string, { client }: Desk): Promise<VersionNow> {
  const request = { agent_version_id: agentVersionId };
  const [status, runs] = await Promise.all([
    client.getPublicAgentVersionsStatus(request),
    client.getPublicAgentVersionsRuns(request),
  ]);
  return { status, runs };
}

/**
 * Follows a version until nothing more will happen to it by itself. A terminal shows the whole report
 * anew each time; elsewhere every change is a line.
 */
export async function watchStatus(agentVersionId: string, desk: Desk): Promise<ExitCode> {
  const { out, isJson, clock } = desk;
  const tell = isJson ? asDocuments(desk) : out.isLive ? asPicture(desk) : asLines(desk);
  for await (const now of look(() => versionNow(agentVersionId, desk), desk)) {
    tell(now);
    const end = endOf(now.status);
    if (end === undefined) continue;
    if (!isJson) {
      // The whole of it, which the picture may have had no room for.
      if (out.isLive) out.redraw([]);
      for (const line of reportLines(now, clock.nowMs(), out)) out.line(line);
    }
    return end === 'well' ? exitCodes.done : exitCodes.refused;
  }
  return exitCodes.interrupted;
}

type Tell = (now: VersionNow) => void;

function asPicture({ out, clock }: Desk): Tell {
  return (now) => out.redraw(reportLines(now, clock.nowMs(), out));
}

function asDocuments({ out }: Desk): Tell {
  let told = '';
  return (now) => {
    const text = JSON.stringify(now);
    if (text !== told) out.line(text);
    told = text;
  };
}

/** What is new of the timeline, and where the version is whenever that has changed. */
function asLines({ out, clock }: Desk): Tell {
  let [told, stand] = [0, ''];
  return ({ status }) => {
    const here = table(standLines(status, clock.nowMs()).slice(0, 2));
    for (const line of table(status.timeline.slice(told).map(timelineCells))) out.line(line);
    if (here.join() !== stand) for (const line of here) out.line(line);
    told = status.timeline.length;
    stand = here.join();
  };
}
