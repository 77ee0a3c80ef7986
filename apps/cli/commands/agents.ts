import { codeWords } from '../../../machines/reasons/code-words.ts';
import { type Terminal, table } from '../../world/terminal.ts';
import type { MinerAgentListing, MinerAgentVersion } from '../client/schemas.generated.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { isId } from '../ids.ts';
import { localTime, whenText } from '../show/moments.ts';
import { plainText } from '../show/plain-text.ts';
import { legendLines } from '../show/reasons.ts';
import { noneOfThatName } from '../version-of.ts';

export const agents: Command = {
  name: 'agents',
  says: 'List your agents, or the versions of one',
  places: [{ name: 'AGENT', says: 'id or name of an agent: lists its versions', isOptional: true }],
  examples: [
    ['paddock agents', 'each with its latest version, and when you may submit again'],
    ['paddock agents my-agent', 'every version of one'],
  ],
  async run(asked, { client, out, isJson, clock }) {
    const listing = await client.getMinerAgents();
    const wanted = asked.placeOr('AGENT');
    if (wanted === undefined) {
      if (isJson) out.line(JSON.stringify(listing, null, 2));
      else for (const line of listingLines(listing, clock.nowMs(), out)) out.line(line);
      return exitCodes.done;
    }
    const named = listing.agents.find(({ agent_name: name }) => name === wanted);
    if (named === undefined && !isId(wanted)) throw noneOfThatName(wanted);
    const agentId = named?.agent_id ?? wanted;
    const versions = await client.getMinerAgentsVersions({ agent_id: agentId });
    if (isJson) out.line(JSON.stringify(versions, null, 2));
    else {
      const cells = versions.map((version) => versionCells(version));
      const lines = [...table([versionHead, ...cells]), ...legendBelow(versions)];
      for (const line of lines) out.line(line);
    }
    return exitCodes.done;
  },
};

function legendBelow(versions: readonly MinerAgentVersion[]): readonly string[] {
  const legend = legendLines(versions, codeWords);
  return legend.length === 0 ? [] : ['', ...legend];
}

const versionHead = ['VERSION', 'STATE', 'SCORE', 'SUBMITTED', 'RACES', 'CAN BE PINNED', 'ID'];

function versionCells(version: MinerAgentVersion): string[] {
  const { eliminated_in_race_number: out, pin_disabled_reason: why } = version;
  // Of the next race while qualifying is open, from the close on of the one that runs.
  const races = version.is_selected_for_race ? 'yes' : version.selection_fallback_reason;
  return [
    String(version.version_number),
    version.state,
    version.final_score === null ? '–' : String(version.final_score),
    localTime(version.submitted_at),
    out === null ? codeWords(races ?? 'no') : `out since race ${out}`,
    version.is_pinnable ? 'yes' : `no: ${codeWords(why ?? '–')}`,
    version.agent_version_id,
  ];
}

function listingLines(listing: MinerAgentListing, nowMs: number, terminal: Terminal): string[] {
  const { agents: all, can_submit: canSubmit, next_allowed_at: nextAt } = listing;
  const rows = all.map(({ agent_name: name, latest_version: latest }) => [
    plainText(name),
    ...versionCells(latest),
  ]);
  const lines =
    rows.length === 0
      ? ['You have no agent yet: paddock submit FILE --name NAME makes one.']
      : table([['AGENT', ...versionHead], ...rows]);
  const may = canSubmit
    ? terminal.style('green', 'You may submit now.')
    : `You may submit again ${nextAt === null ? 'later' : whenText(nextAt, nowMs)}.`;
  const latest = all.map(({ latest_version: version }) => version);
  return [...lines, ...legendBelow(latest), '', may];
}
