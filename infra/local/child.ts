import { type ChildProcess, spawn } from 'node:child_process';
import { systemClock } from '../clock/system-clock.ts';
import { type ChildOutput, type LogSink, openOutput } from './child-output.ts';
import { boundToOurLife } from './parent-death.ts';
import { claimPidFile, recordPid } from './pid-file.ts';

/**
 * A child process that does not outlive us.
 *
 * 1. On Linux the kernel signals the child when we die, however we die (`setpriv --pdeathsig`).
 *    It watches the thread that spawned, so spawn from the main thread, never from a worker.
 * 2. Elsewhere the pid file lets the next start end an orphan.
 * 3. `stop` returns only when the child is gone: SIGKILL follows the stop signal after a bound.
 */
export interface Child {
  readonly pid: number;
  /** Settles when the process has ended, for whatever reason; never rejects. */
  readonly exited: Promise<ChildExit>;
  running(): boolean;
  /** The last output lines, for an error message. */
  tail(): string;
  kill(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ChildOptions {
  /** What error messages call it. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** The whole environment of the child; ours when left out. */
  readonly env?: NodeJS.ProcessEnv;
  /** A command that runs our command in its place, such as `unshare … --` or `setpriv … --`. */
  readonly through?: readonly string[];
  readonly log?: LogSink;
  readonly pidFile?: string;
  /** Sent by `stop` and, on Linux, by the kernel when we die. SIGTERM by default. */
  readonly stopSignal?: NodeJS.Signals;
  /** From the stop signal to SIGKILL. */
  readonly stopMs?: number;
}

// A server that only has to sync its files ends well inside this; who needs longer says so.
const defaultStopMs = 10_000;

export async function startChild(options: ChildOptions): Promise<Child> {
  const stopSignal = options.stopSignal ?? 'SIGTERM';
  if (options.pidFile !== undefined) await claimPidFile(options.pidFile, options.name);
  const commandLine = await commandOf(options, stopSignal);
  const output = await openOutput(options.log);
  const process = spawnTo(output, commandLine, options);
  const exited = exitOf(process);
  const pid = await spawnedPid(process, options.name);
  const running = () => process.exitCode === null && process.signalCode === null;
  const kill = (signal: NodeJS.Signals) => void process.kill(signal);
  async function stop(): Promise<void> {
    if (!running()) return;
    kill(stopSignal);
    const patience = new AbortController();
    const gone = exited.then(() => patience.abort());
    await systemClock.sleep(options.stopMs ?? defaultStopMs, patience.signal);
    if (running()) kill('SIGKILL');
    await gone;
  }
  try {
    if (options.pidFile !== undefined) await recordPid(options.pidFile, pid, options.args);
  } catch (error) {
    // Nobody else knows of it.
    await stop();
    throw error;
  }
  return { pid, exited, running, tail: output.tail, kill, stop };
}

function spawnTo(
  output: ChildOutput,
  [command, args]: readonly [command: string, args: string[]],
  { cwd, env }: ChildOptions,
): ChildProcess {
  try {
    const process = spawn(command, args, {
      ...(cwd !== undefined && { cwd }),
      ...(env !== undefined && { env }),
      // A group of its own: Ctrl-C signals the whole foreground group, and we stop them in order.
      detached: true,
      stdio: ['ignore', output.stdio, output.stdio],
    });
    output.attach(process);
    return process;
  } catch (error) {
    output.discard();
    throw error;
  }
}

async function commandOf(
  options: ChildOptions,
  stopSignal: NodeJS.Signals,
): Promise<[command: string, args: string[]]> {
  const bound = await boundToOurLife([options.command, ...options.args], stopSignal);
  // The kernel's promise is innermost: a change of user on the way would clear it.
  const [command = options.command, ...args] = [...(options.through ?? []), ...bound];
  return [command, args];
}

/** Resolves as soon as `probe` gives a value; fails when the child ends or the time is up first. */
export async function untilReady<T>(
  child: Child,
  options: { readonly name: string; readonly readyMs: number },
  probe: () => Promise<T | undefined>,
): Promise<T> {
  const deadline = systemClock.monotonicMs() + options.readyMs;
  while (child.running()) {
    const value = await probe();
    if (value !== undefined) return value;
    if (systemClock.monotonicMs() > deadline) {
      await child.stop();
      throw new Error(
        `${options.name} was not ready after ${options.readyMs} ms:\n${child.tail()}`,
      );
    }
    await systemClock.sleep(pollMs);
  }
  const { code, signal } = await child.exited;
  const tail = child.tail();
  if (/address already in use/i.test(tail)) {
    throw new Error(`${options.name} cannot listen: its port is already in use`, { cause: tail });
  }
  throw new Error(`${options.name} ended at its start (${signal ?? `code ${code}`}):\n${tail}`);
}

// Two servers start in about 50 ms each; polling must not be what a start waits for.
const pollMs = 10;

function exitOf(process: ChildProcess): Promise<ChildExit> {
  return new Promise((resolve) => {
    process.once('close', (code, signal) => resolve({ code, signal }));
  });
}

function spawnedPid(process: ChildProcess, name: string): Promise<number> {
  return new Promise((resolve, reject) => {
    process.once('spawn', () => resolve(process.pid ?? 0));
    process.once('error', (cause) => reject(new Error(`${name} could not be started`, { cause })));
  });
}
