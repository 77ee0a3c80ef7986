import { readFile } from 'node:fs/promises';
import { parse } from 'node:path';
import { randomId } from '../../../infra/ids/ids.ts';
import { isRefusal } from '../client/paddock.generated.ts';
import { submissionTimeoutMs } from '../client/submission-limit.ts';
import type { Command } from '../command.ts';
import type { Desk } from '../desk.ts';
import { exitCodes } from '../exit-code.ts';
import { Failed } from '../failure.ts';
import { repeatable } from '../repeatable.ts';
import { findingLines, linesOfFile } from '../show/finding-lines.ts';
import { whenText } from '../show/moments.ts';
import { counted } from '../show/plain-text.ts';
import { transferProgress } from '../show/progress.ts';
import { UsageError } from '../usage-error.ts';
import { watchStatus } from '../watch-status.ts';

export const submit: Command = {
  name: 'submit',
  says: 'Submit a file as the next version of an agent',
  places: [{ name: 'FILE', says: 'the Python file of the agent', isFile: true }],
  options: {
    name: {
      value: 'NAME',
      says: 'the agent; a new name makes a new agent (default: your only agent)',
    },
    watch: { says: 'stay and follow its evaluation', short: 'w' },
    'idempotency-key': {
      value: 'KEY',
      says: 'of an earlier attempt whose outcome is unknown: it is then carried out once',
    },
  },
  more: `An accepted submission starts your cooldown, a refused one does not: mend the file and submit it
again. paddock check FILE says the same without submitting.`,
  examples: [
    ['paddock submit agent.py --name my-agent', 'the first version of an agent'],
    ['paddock submit agent.py --watch', 'the next one, followed until it has its score'],
  ],
  async run(asked, desk) {
    const { client, out, isJson, clock } = desk;
    const path = asked.place('FILE');
    const bytes = await readFile(path);
    const agentName = asked.text('name') ?? (await onlyAgent(desk));
    const file = new File([bytes], parse(path).base, { type: 'text/x-python' });
    const progress = transferProgress(desk, path);
    const idempotencyKey = asked.text('idempotency-key') ?? randomId();
    const sending = client.postMinerSubmit(
      { body: { agent_name: agentName, file }, idempotencyKey },
      { signal: desk.stopping, timeoutMs: submissionTimeoutMs, onUpload: progress.onPiece },
    );
    const result = await repeatable(sending, idempotencyKey).catch((error: unknown) => {
      progress.end();
      throw isJson ? error : shown(error, { name: path, lines: linesOfFile(bytes) }, desk);
    });
    progress.end();
    const id = result.agent_version_id;
    if (isJson) out.line(JSON.stringify(result));
    else {
      out.line(`${out.style('green', 'Accepted')}: ${agentName}, version ${id}`);
      out.line(`You may submit again ${whenText(result.next_allowed_at, clock.nowMs())}.`);
    }
    if (asked.isSet('watch')) return await watchStatus(id, desk);
    if (!isJson) out.line(`Follow it with: paddock status ${id} --watch`);
    return exitCodes.done;
  },
};

/** Findings are pointed at as by check; then it is enough to say how many there are. */
function shown(
  error: unknown,
  source: { name: string; lines: readonly string[] },
  { out }: Desk,
): unknown {
  if (!isRefusal(error, 'CODE_ANALYSIS_ERROR')) return error;
  const { violations } = error.body;
  for (const found of violations) {
    for (const line of [...findingLines(source, found, out), '']) out.line(line);
  }
  const message = `${source.name}: ${counted(violations.length, 'finding')}, so nothing was submitted`;
  return new Failed(message, exitCodes.refused, 'A refused file starts no cooldown.');
}

async function onlyAgent({ client }: Desk): Promise<string> {
  const { agents } = await client.getMinerAgents();
  const [first] = agents;
  if (agents.length === 1 && first !== undefined) return first.agent_name;
  const names = agents.map(({ agent_name: name }) => name).join(', ');
  throw new UsageError(
    first === undefined
      ? 'this is your first agent: name it with --name NAME'
      : `you have ${counted(agents.length, 'agent')} (${names}): say which with --name NAME`,
  );
}
