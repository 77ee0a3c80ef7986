import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { type Child, type ChildExit, startChild } from '../../infra/local/child.ts';
import type { Clock } from '../../infra/ports/clock.ts';

/** What of the environment is no setting of ours: where Node, and what it runs, finds what it needs. */
export const systemKeys = [
  'PATH',
  'LD_LIBRARY_PATH',
  'HOME',
  'TZ',
  'NODE_EXTRA_CA_CERTS',
  'NODE_OPTIONS',
] as const;

/** A process that ends this often before it was ready will not get better. */
export const endsBeforeReadyMax = 3;

export interface ProcessPlan {
  /** `edge-1`, `coordinator-2`. */
  readonly name: string;
  /** Below the root of its release: `apps/edge/main.ts`. */
  readonly script: string;
  /** The installed checkout that its next start is of; this one unless told. */
  readonly releaseRoot?: (() => string) | undefined;
  /** For Node itself. */
  readonly engineFlags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A file that it appends to. */
  readonly log: string;
  readonly pidFile: string;
}

/** A process of ours that is started again whenever it dies. */
export interface KeptProcess {
  readonly name: string;
  readonly pid: number;
  /** The last lines it printed. */
  tail(): string;
  stop(): Promise<void>;
}

/** Which of the processes of one name ended, and how. */
export interface ProcessEnd extends ChildExit {
  /** Where a start failed, that of the last one that ran. */
  readonly pid: number;
  /** Why nothing runs in its place: it could not be started, and is tried again. */
  readonly failure?: string;
}

/** After the name of the process. */
export function endText({ code, signal, failure }: ProcessEnd): string {
  if (failure !== undefined) return `could not be started again (${failure}) and is tried again`;
  return `ended with ${signal ?? `code ${code}`} and is started again`;
}

/** Of a process that is started no more. */
export function givenUp({ name, tail }: KeptProcess, { failure }: ProcessEnd): Error {
  const why = failure === undefined ? '' : ` (${failure})`;
  return new Error(`${name} ends at its start${why}. Its last lines:\n${tail()}`);
}

// A process that cannot start would otherwise be started hundreds of times a second.
const restartMs = 300;
// What is in the way may be a full disk or a limit on processes, which trying again does not mend.
const failedStartMsMax = 30_000;

/**
 * Starts a process and starts it again when it ends by itself, after `onEnd` has settled. Only the first
 * start may fail: whoever holds a kept process awaits nothing, so nobody would hear of a later failure.
 */
export async function keepRunning(
  plan: ProcessPlan,
  onEnd: (ended: KeptProcess, end: ProcessEnd) => Promise<void> | void,
  clock: Pick<Clock, 'sleep'> = systemClock,
): Promise<KeptProcess> {
  let child = await launch(plan);
  let tail = child.tail;
  const stopping = new AbortController();
  const kept: KeptProcess = {
    name: plan.name,
    get pid() {
      return child.pid;
    },
    tail: () => tail(),
    async stop() {
      stopping.abort();
      await child.stop();
      await watching;
      // It may have been started once more while it was being stopped.
      await child.stop();
    },
  };
  const watching = watch();
  return kept;

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      const exit = await child.exited;
      if (stopping.signal.aborted) return;
      await onEnd(kept, { pid: child.pid, ...exit });
      await launchAgain();
    }
  }

  async function launchAgain(): Promise<void> {
    for (let waitMs = restartMs; ; waitMs = Math.min(2 * waitMs, failedStartMsMax)) {
      await clock.sleep(waitMs, stopping.signal);
      if (stopping.signal.aborted) return;
      try {
        child = await launch(plan);
        tail = child.tail;
        return;
      } catch (error) {
        if (stopping.signal.aborted) return;
        await onEnd(kept, { pid: child.pid, code: null, signal: null, failure: textOf(error) });
      }
    }
  }
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

const ownRoot = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Known to Node before the first file of ours is read: else it loads the compiler that strips types,
 * only to strip those of the file that turns the cache on.
 */
const compileCache = 'node_modules/.cache/paddock';

async function launch(plan: ProcessPlan): Promise<Child> {
  const { name, script, engineFlags, env, log, pidFile } = plan;
  const root = plan.releaseRoot?.() ?? ownRoot;
  // Somebody may have cleared it away meanwhile.
  await mkdir(dirname(log), { recursive: true });
  const register = pathToFileURL(join(root, 'infra/otel/register.ts'));
  return await startChild({
    name,
    command: process.execPath,
    // Crash reports, where somebody turns them on, name every variable; threads have reports too.
    args: [
      '--report-exclude-env',
      ...engineFlags,
      '--import',
      register.href,
      resolve(root, script),
    ],
    env: { NODE_COMPILE_CACHE: join(root, compileCache), ...env, PROCESS_NAME: name },
    log,
    pidFile,
    // Drain takes up to ten seconds (DRAIN_SECONDS); the rest is for the exit itself.
    stopMs: 12_000,
  });
}
