import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { Clock } from '../../../infra/ports/clock.ts';
import { type Call, lineLimits, lineReader, type Note, readMessage } from './channel.ts';
import type { SandboxCommand } from './command.ts';
import { type Ending, type EndReason, plainText, reasonOfExit } from './ending.ts';
import type { TaskLimits } from './limits.ts';
import { residentBytes } from './process-memory.ts';
import { TaskTime } from './task-time.ts';

/** What a tool answers; an error is the agent's to handle. */
export type ToolAnswer = { readonly result: unknown } | { readonly error: string };

export interface AgentRun {
  readonly command: SandboxCommand;
  readonly limits: TaskLimits;
  /** What `agent_main` is called with. */
  readonly problem: Readonly<Record<string, unknown>>;
  /** Carries a call out; what it throws is our own failure, not the agent's. */
  readonly onCall: (
    tool: string,
    given: Readonly<Record<string, unknown>>,
  ) => Promise<ToolAnswer> | ToolAnswer;
  /** All that it prints, as it comes. */
  readonly onOutput?: (name: 'stderr' | 'stdout', chunk: Buffer) => void;
  /** How long in all, until now, its calls waited for the platform: its time is longer by that. */
  readonly waitedMs?: () => number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A sandbox that has not even begun after so long is broken; a busy machine may need seconds. */
const startMs = 20_000;
/** What was killed lets go of its pipes at once. */
const closeMs = 5_000;
const memoryLookMs = 50;
const tailBytes = 4_000;
/** The runner writes three; who writes more is not the runner. */
const notesMax = 10;
/** The runner has one call under way; who has more of them waiting, or longer ones, fills our memory with them. */
const callsWaitingMax = 16;

/**
 * Runs one task of one agent to its end and says how it ended. The process and all of its are gone then, but
 * for what a sandbox that never began has left in a session of its own.
 */
export async function runAgent(run: AgentRun): Promise<Ending> {
  const { clock, limits, signal } = run;
  const { command, args, inputs } = run.command;
  const child = spawn(command, [...args], {
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', ...inputs.map(() => 'pipe' as const)],
    // A session of its own: a Ctrl-C in the validator's terminal is none of the agent's deeds.
    detached: true,
  });
  const watch = new Watch(child, run);
  const over = new AbortController();
  const closed = watch.closed.finally(() => over.abort());
  for (const [index, input] of inputs.entries()) feed(child, index + 4, input);
  const time = new TaskTime({ clock, waitedMs: run.waitedMs });
  // A look that finds too much and a time that is up both end it; what is first names the reason.
  const stopLooking = clock.every(memoryLookMs, () => {
    time.look();
    if (child.pid === undefined) return;
    if (residentBytes(child.pid) > limits.memoryBytes) watch.end('memory_limit');
  });
  const stopped = () => watch.end('stopped');
  signal.addEventListener('abort', stopped, { once: true });
  if (signal.aborted) stopped();
  try {
    await Promise.race([watch.ready, closed, time.pass(startMs, over.signal)]);
    if (!watch.told.isReady) watch.end('not_started');
    const startedMs = clock.monotonicMs();
    await Promise.race([closed, time.pass(limits.wallSeconds * 1000, over.signal)]);
    watch.end('time_limit');
    const exit = await closed;
    const wallSeconds = (clock.monotonicMs() - startedMs) / 1000;
    return watch.ending(exit, wallSeconds);
  } finally {
    stopLooking();
    signal.removeEventListener('abort', stopped);
  }
}

interface Closed {
  readonly code: number | null;
  readonly signal: string | null;
}

/** Everything that comes out of the sandbox, and the one reason for which it is ended. */
class Watch {
  readonly told = { isReady: false, isLoaded: false, isFinished: false, raised: undefined } as {
    isReady: boolean;
    isLoaded: boolean;
    isFinished: boolean;
    raised: string | undefined;
  };
  readonly closed: Promise<Closed>;
  readonly ready: Promise<void>;
  readonly #child: ChildProcess;
  readonly #run: AgentRun;
  #markReady = () => {};
  #reason: EndReason | undefined;
  #isGone = false;
  #detail = '';
  #calls = 0;
  #notes = 0;
  readonly #waiting = { calls: 0, bytes: 0 };
  #answered: Promise<void> = Promise.resolve();
  #outputBytes = 0;
  #tails = { stdout: '', stderr: '' };

  constructor(child: ChildProcess, run: AgentRun) {
    this.#child = child;
    this.#run = run;
    this.ready = new Promise((resolve) => {
      this.#markReady = resolve;
    });
    this.closed = new Promise((resolve) => {
      child.once('error', (error) => {
        this.end('not_started', error.message);
        resolve({ code: null, signal: null });
      });
      // At once: a number is nobody else's while somebody is left in its group.
      child.once('exit', () => killIn(child.pid));
      child.once('close', (code, signal) => {
        this.#isGone = true;
        resolve({ code, signal });
      });
    });
    this.#hearOutput('stdout', child.stdout);
    this.#hearOutput('stderr', child.stderr);
    this.#hearChannel();
  }

  /** Ends the sandbox; the first reason stays. Nothing when it has ended by itself. */
  end(reason: EndReason, detail = ''): void {
    if (this.#reason !== undefined || this.#isGone) return;
    this.#reason = reason;
    this.#detail = detail;
    void this.#kill();
  }

  /**
   * The first process of a sandbox dies with ours, and all others with that one, but not before it has said
   * so to the kernel: one that is only begun would wait for us for ever, with our pipes in its hands. So what
   * is to end is let begin; no line of the agent runs before it is told its problem.
   */
  async #kill(): Promise<void> {
    const { clock } = this.#run;
    const gone = new AbortController();
    const closed = this.closed.then(() => gone.abort());
    if (this.#reason !== 'not_started')
      await Promise.race([this.ready, closed, clock.sleep(startMs, gone.signal)]);
    if (!this.#isGone) killGroup(this.#child);
    await Promise.race([closed, clock.sleep(closeMs, gone.signal)]);
    // Somebody has them still, whom nobody can name any more: the task is over all the same.
    for (const pipe of this.#child.stdio ?? []) pipe?.destroy();
  }

  ending(exit: Closed, wallSeconds: number): Ending {
    const { told } = this;
    const hadCpuTime = wallSeconds * availableParallelism() >= this.#run.limits.cpuSeconds;
    const reason = this.#reason ?? reasonOfExit(told, { ...exit, hadCpuTime });
    return {
      ...{ reason, detail: plainText(this.#detail), exitCode: exit.code, isLoaded: told.isLoaded },
      ...{ wallSeconds, stdoutTail: plainText(this.#tails.stdout) },
      stderrTail: plainText(this.#tails.stderr),
    };
  }

  #hearOutput(name: 'stderr' | 'stdout', stream: Readable | null): void {
    stream?.on('data', (chunk: Buffer) => {
      this.#outputBytes += chunk.length;
      if (this.#outputBytes > this.#run.limits.outputBytes) this.end('output_limit');
      this.#run.onOutput?.(name, chunk);
      this.#tails[name] = (this.#tails[name] + chunk.toString()).slice(-tailBytes);
    });
    stream?.on('error', () => undefined);
  }

  #hearChannel(): void {
    const channel = pipeOf(this.#child, 3) as Duplex | null;
    const read = lineReader();
    channel?.on('data', (chunk: Buffer) => {
      const lines = read(chunk);
      if (lines === undefined) return this.end('protocol', 'a line that is too long');
      for (const line of lines) this.#hear(line, channel);
    });
    channel?.on('error', () => undefined);
  }

  /** A note counts at once: an agent that is done waits for no answer that one of its threads has asked for. */
  #hear(line: Buffer, channel: Writable): void {
    const message = readMessage(line);
    if (this.#reason !== undefined) {
      if (message !== undefined && 'note' in message && message.note === 'ready') this.#markReady();
      return;
    }
    if (message === undefined) this.end('protocol');
    else if ('note' in message) this.#take(message, channel);
    else this.#queue(message, line.length, channel);
  }

  /** One call after the other: each is answered before the next one is looked at. */
  #queue(call: Call, bytes: number, channel: Writable): void {
    const waiting = this.#waiting;
    waiting.calls += 1;
    waiting.bytes += bytes;
    if (waiting.calls > callsWaitingMax || waiting.bytes > lineLimits.bytesMax)
      this.end('protocol', 'more calls than are answered');
    this.#answered = this.#answered
      .then(() => this.#answer(call, channel))
      .finally(() => {
        waiting.calls -= 1;
        waiting.bytes -= bytes;
      });
  }

  #take(note: Note, channel: Writable): void {
    this.#notes += 1;
    if (this.#notes > notesMax) this.end('protocol', 'more notes than there are');
    else if (note.note === 'ready' && !this.told.isReady) {
      this.told.isReady = true;
      channel.write(`${JSON.stringify(this.#run.problem)}\n`);
      this.#markReady();
    } else if (note.note === 'loaded') this.told.isLoaded = true;
    else if (note.note === 'finished') this.told.isFinished = true;
    else if (note.note === 'raised') {
      this.told.raised = note.kind;
      this.#detail = note.message === '' ? note.kind : `${note.kind}: ${note.message}`;
    }
  }

  async #answer(call: Call, channel: Writable): Promise<void> {
    // Nobody is left who waits for it.
    if (this.#reason !== undefined || this.#isGone) return;
    this.#calls += 1;
    if (!this.told.isReady) return this.end('protocol');
    if (this.#calls > this.#run.limits.toolCalls) return this.end('call_limit');
    try {
      const answer = await this.#run.onCall(call.call, call.arguments);
      if (!this.#isGone) channel.write(`${JSON.stringify(answer)}\n`);
    } catch (error) {
      this.end('tools_failed', error instanceof Error ? error.message : String(error));
    }
  }
}

/** The process, and what it has begun that is in no session of its own yet. */
function killGroup(child: ChildProcess): void {
  // Some time after its end its number may be somebody else's.
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  killIn(child.pid);
}

function killIn(group: number | undefined): void {
  if (group === undefined) return;
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // Nobody is left in it, or nobody of ours.
  }
}

/** A process that could not be begun for want of descriptors has none, whatever the types say. */
function pipeOf({ stdio }: ChildProcess, descriptor: number): unknown {
  return (stdio as readonly unknown[] | undefined)?.[descriptor] ?? null;
}

function feed(child: ChildProcess, descriptor: number, input: Uint8Array): void {
  const stream = pipeOf(child, descriptor) as Writable | null;
  // A sandbox that could not start has not read it; how it ended says so.
  stream?.on('error', () => undefined);
  stream?.end(input);
}
