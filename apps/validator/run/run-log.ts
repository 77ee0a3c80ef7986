import { type Ending, isAgentEnd, plainText } from '../sandbox/ending.ts';
import type { Printed, StreamName } from './printed.ts';

export interface LoggedTask {
  readonly taskId: string;
  readonly family: string;
  readonly ending: Ending;
}

/** Before it is compressed; a service takes more than that compressed. */
export const runLogBytesMax = 4 * 1024 ** 2;

/**
 * What an agent printed during a run, task by task, as its miner reads it.
 *
 * 1. It holds the agent's own words and how each task ended, and nothing of this machine: neither what
 *    a box said that did not come up, nor why tools of ours failed.
 * 2. A secret of the run is taken out of it, although no sandbox ever holds one.
 * 3. It is bounded. Whatever is left out has a line that says so and how much it was.
 */
export class RunLog {
  readonly #secret: string | undefined;
  readonly #bytesMax: number;
  readonly #parts: string[] = [];
  #bytes = 0;

  constructor(secret: string | undefined, bytesMax: number = runLogBytesMax) {
    this.#secret = secret;
    this.#bytesMax = bytesMax;
  }

  add(task: LoggedTask, printed: Printed): void {
    this.#append(this.#without(headOf(task)));
    if (task.ending.reason === 'not_started') return;
    const output = this.#without(outputOf(printed));
    const bytes = Buffer.byteLength(output);
    const isFull = this.#bytes + bytes > this.#bytesMax;
    this.#append(
      isFull ? `[${bytes} bytes are left out: the log of this run has no room for them]\n` : output,
    );
  }

  get text(): string {
    return this.#parts.join('');
  }

  #append(part: string): void {
    this.#parts.push(part);
    this.#bytes += Buffer.byteLength(part);
  }

  #without(text: string): string {
    return this.#secret === undefined ? text : text.replaceAll(this.#secret, '[a secret]');
  }
}

function headOf({ taskId, family, ending }: LoggedTask): string {
  const { reason, exitCode, wallSeconds } = ending;
  const detail = isAgentEnd(reason) && ending.detail !== '' ? `: ${oneLine(ending.detail)}` : '';
  const code = exitCode === null ? '' : `, exit code ${exitCode}`;
  return `=== task ${taskId} (${family}): ${reason} after ${wallSeconds.toFixed(3)} s${code}${detail}\n`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

function outputOf(printed: Printed): string {
  return partOf(printed, 'stdout', 'output') + partOf(printed, 'stderr', 'error');
}

function partOf(printed: Printed, name: StreamName, says: string): string {
  const { text, leftOutBytes } = printed.endOf(name);
  if (text === '') return '';
  const cut = leftOutBytes === 0 ? '' : `[${leftOutBytes} bytes before this are left out]\n`;
  const end = text.endsWith('\n') ? '' : '\n';
  return `--- standard ${says}\n${cut}${plainText(text)}${end}`;
}
