import { codeWords } from '../../../machines/reasons/code-words.ts';
import { type Terminal, table } from '../../world/terminal.ts';
import type { PaddockClient } from '../client/paddock.generated.ts';
import { Refusal, Unanswered } from '../client/refusal.ts';
import type { MinerAgentListing, MinerAgentVersion } from '../client/schemas.generated.ts';
import type { Command } from '../command.ts';
import type { Desk } from '../desk.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
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
  async run(asked, desk) {
    const { client, out, isJson } = desk;
    const listing = await client.getMinerAgents();
    const wanted = asked.placeOr('AGENT');
    if (wanted === undefined) return await showAll(listing, desk);
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

async function showAll(
  listing: MinerAgentListing,
  { client, out, isJson, clock }: Desk,
): Promise<ExitCode> {
  if (isJson) out.line(JSON.stringify(listing, null, 2));
  else {
    const shown = { ...listing, standIn: await standInOf(listing, client) };
    for (const line of listingLines(shown, clock.nowMs(), out)) out.line(line);
  }
  return exitCodes.done;
}

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

/** The version that races in the place of a later one of its agent. */
interface StandIn {
  readonly agentId: string;
  readonly versionId: string;
  /** Undefined where the service does not list it, or does not answer to that. */
  readonly number: number | undefined;
}

/** Undefined where the latest version of an agent races, or nothing does. */
async function standInOf(
  { agents: all, racing_agent_id: agentId, racing_agent_version_id: versionId }: MinerAgentListing,
  client: PaddockClient,
): Promise<StandIn | undefined> {
  const agent = all.find((each) => each.agent_id === agentId);
  if (agent === undefined || agentId === null || versionId === null) return undefined;
  if (agent.latest_version.agent_version_id === versionId) return undefined;
  const versions = await client
    .getMinerAgentsVersions({ agent_id: agentId })
    .catch((error: unknown) => {
      // What was asked for is here already, and one number of it is worth no failure.
      if (error instanceof Refusal || error instanceof Unanswered) return [];
      throw error;
    });
  const racing = versions.find(({ agent_version_id: id }) => id === versionId);
  return { agentId, versionId, number: racing?.version_number };
}

function listingLines(
  listing: MinerAgentListing & { readonly standIn: StandIn | undefined },
  nowMs: number,
  terminal: Terminal,
): string[] {
  const { agents: all, can_submit: canSubmit, next_allowed_at: nextAt, standIn } = listing;
  const rows = all.map(({ agent_name: name, latest_version: latest }) => [
    plainText(name),
    ...versionCells(latest),
  ]);
  const [head = '', ...lines] = table([['AGENT', ...versionHead], ...rows]);
  const listed =
    rows.length === 0
      ? ['You have no agent yet: paddock submit FILE --name NAME makes one.']
      : [head, ...lines.flatMap((line, at) => [line, ...underLines(all[at]?.agent_id, standIn)])];
  const may = canSubmit
    ? terminal.style('green', 'You may submit now.')
    : `You may submit again ${nextAt === null ? 'later' : whenText(nextAt, nowMs)}.`;
  const latest = all.map(({ latest_version: version }) => version);
  return [...listed, ...legendBelow(latest), '', may];
}

function underLines(agentId: string | undefined, standIn: StandIn | undefined): string[] {
  if (standIn === undefined || standIn.agentId !== agentId) return [];
  const version = standIn.number === undefined ? 'an earlier one' : `version ${standIn.number}`;
  return [`  ${version} races in its place: ${standIn.versionId}`];
}
