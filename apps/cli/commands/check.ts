import { readFile } from 'node:fs/promises';
import { parse } from 'node:path';
import { referenceProfile } from '../../../infra/python/reference-profile.ts';
import { refusal } from '../../../machines/refusal.ts';
import { agentName, noAgentName } from '../../../machines/submission/agent-name.ts';
import type { Asked } from '../asked.ts';
import { Refusal } from '../client/refusal.ts';
import type { Violation } from '../client/schemas.generated.ts';
import { submissionTimeoutMs } from '../client/submission-limit.ts';
import type { Command } from '../command.ts';
import type { Desk } from '../desk.ts';
import { exitCodes } from '../exit-code.ts';
import { detailText, failureOf } from '../failure.ts';
import { findingLines, linesOfFile, placeLines } from '../show/finding-lines.ts';
import { counted, plainText } from '../show/plain-text.ts';
import { UsageError } from '../usage-error.ts';

/** What one side says of a file. */
interface Verdict {
  /** Why it is no agent at all; then nothing else was looked at. */
  readonly invalid: string | null;
  readonly findings: readonly Violation[];
}

const packagesOfSandbox = referenceProfile.agentPackages.join(',');

export const check: Command = {
  name: 'check',
  says: 'Say what a submission of a file would be told, and submit nothing',
  places: [{ name: 'FILE', says: 'the Python file of the agent', isFile: true }],
  options: {
    offline: { says: 'only on this machine; the service is not asked' },
    online: { says: 'the service must be asked too, so one has to be signed in' },
    name: { value: 'NAME', says: 'the agent’s name, which is checked as well' },
    'agent-packages': {
      value: 'LIST',
      says: `packages of the sandbox that may be imported, with commas (default: ${packagesOfSandbox})`,
    },
    'entry-point': {
      value: 'NAME',
      says: `what the sandbox calls; "" for nothing (default: ${referenceProfile.entryPoint})`,
    },
  },
  more: `Checks on this machine with the service's own analyser, and then asks the service where you are
signed in: it has the last word, since it knows its settings. Starts no cooldown.`,
  examples: [
    ['paddock check agent.py', 'before a submission'],
    ['paddock check agent.py --offline --json', 'in a script that has no session'],
  ],
  async run(asked, desk) {
    const name = asked.place('FILE');
    if (asked.isSet('offline') && asked.isSet('online')) {
      throw new UsageError('--offline and --online exclude each other: give one');
    }
    const bytes = await readFile(name);
    const here = await verdictHere(bytes, asked);
    const there = asked.isSet('offline')
      ? 'the service was not asked'
      : await verdictThere({ name, bytes, agentName: asked.text('name') }, desk).catch((error) => {
          if (asked.isSet('online') || !mayBeLeftOut(error)) throw error;
          const { message, advice = '' } = failureOf(error);
          return `the service was not asked: ${message}. ${advice}`.trimEnd();
        });
    const isAnswer = typeof there === 'object';
    // The service's settings decide; what this machine says is a guess where both have spoken.
    const verdict = isAnswer ? there : here;
    const isOk = verdict.invalid === null && verdict.findings.length === 0;
    if (desk.isJson) {
      const service = isAnswer ? there : null;
      desk.out.line(JSON.stringify({ ok: isOk, file: name, offline: here, service }, null, 2));
    } else {
      tell({ name, lines: linesOfFile(bytes), verdict }, desk);
      desk.out.line(closing({ isOk, verdict, unasked: isAnswer ? undefined : there, name }, desk));
    }
    return isOk ? exitCodes.done : exitCodes.refused;
  },
};

/** In the order of the service, which looks at the name before it reads the file. */
async function verdictHere(bytes: Uint8Array, asked: Asked): Promise<Verdict> {
  const name = asked.text('name');
  if (name !== undefined && agentName(name) === undefined) {
    return { invalid: noAgentName(name).message, findings: [] };
  }
  // CPython and Ruff as WebAssembly: no other command pays for them.
  const { createCodeAnalyser } = await import('../../../infra/python/python-analyser.ts');
  const packages = asked.text('agent-packages') ?? packagesOfSandbox;
  const agentPackages = packages.split(',').filter((each) => each !== '');
  const entryPoint = asked.text('entry-point') ?? referenceProfile.entryPoint;
  // A miner's own machine may be slow; the service allows less.
  const analyser = createCodeAnalyser({
    agentPackages,
    ...(entryPoint !== '' && { entryPoint }),
    deadlineMs: 20_000,
  });
  try {
    const verdict = await analyser.analyse(bytes);
    if (verdict.kind === 'invalid') {
      const { message } = refusal('INVALID_FILE', { says: verdict.detail });
      return { invalid: message, findings: [] };
    }
    return { invalid: null, findings: verdict.kind === 'clean' ? [] : verdict.violations };
  } finally {
    await analyser.stop();
  }
}

/** What says nothing of the file; what this machine found out is worth telling all the same. */
function mayBeLeftOut(error: unknown): boolean {
  const { exitCode } = failureOf(error);
  return exitCode === exitCodes.notSignedIn || exitCode === exitCodes.later;
}

interface CheckedFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly agentName: string | undefined;
}

async function verdictThere(
  { name, bytes, agentName }: CheckedFile,
  { client, stopping }: Desk,
): Promise<Verdict> {
  const file = new File([bytes], parse(name).base, { type: 'text/x-python' });
  const body = { agent_name: agentName ?? 'check', file };
  try {
    const options = { signal: stopping, timeoutMs: submissionTimeoutMs };
    const { violations } = await client.postMinerSubmitCheck({ body }, options);
    return { invalid: null, findings: violations };
  } catch (error) {
    const isOfFile = error instanceof Refusal && [400, 413, 415].includes(error.status);
    if (!isOfFile) throw error;
    // The whole text, for the check on this machine says the same.
    return { invalid: detailText(error.body) ?? failureOf(error).message, findings: [] };
  }
}

interface Told {
  readonly name: string;
  readonly lines: readonly string[];
  readonly verdict: Verdict;
}

function tell({ name, lines, verdict }: Told, { out }: Desk): void {
  for (const found of verdict.findings) {
    for (const line of findingLines({ name, lines }, found, out)) out.line(line);
    out.line();
  }
  if (verdict.invalid === null) return;
  out.line(`${out.style('red', 'error')}: ${out.style('bold', plainText(verdict.invalid))}`);
  const line = Number(/\(line (\d+)\)/.exec(verdict.invalid)?.[1] ?? 0);
  const shown = lines[line - 1];
  if (shown !== undefined) {
    for (const each of placeLines({ name, line, text: shown }, out)) out.line(each);
  }
  out.line();
}

function closing(
  of: {
    readonly isOk: boolean;
    readonly verdict: Verdict;
    /** Why the service said nothing. */
    readonly unasked: string | undefined;
    readonly name: string;
  },
  { out, baseUrl }: Desk,
): string {
  const by =
    of.unasked === undefined
      ? `as ${baseUrl} says`
      : `as far as this machine can tell; ${of.unasked}`;
  if (of.isOk) return `${out.style('green', `${of.name}: accepted`)}, ${by}`;
  const count = counted(Math.max(1, of.verdict.findings.length), 'finding');
  return `${of.name}: ${count}, so it would be refused, ${by}`;
}
