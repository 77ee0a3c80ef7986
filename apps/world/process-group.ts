import { fileURLToPath } from 'node:url';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { type Child, type ChildExit, startChild } from '../../infra/local/child.ts';

export interface ProcessPlan {
  /** `edge-1`, `coordinator-2`. */
  readonly name: string;
  readonly script: string;
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
  readonly pid: number;
}

// A process that cannot start would otherwise be started hundreds of times a second.
const restartMs = 300;

/** Starts a process and starts it again when it ends by itself, after `onRestart` has settled. */
export async function keepRunning(
  plan: ProcessPlan,
  onRestart: (ended: KeptProcess, end: ProcessEnd) => Promise<void> | void,
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
      await onRestart(kept, { pid: child.pid, ...exit });
      await systemClock.sleep(restartMs, stopping.signal);
      if (stopping.signal.aborted) return;
      child = await launch(plan);
      tail = child.tail;
    }
  }
}

/**
 * Known to Node before the first file of ours is read: else it loads the compiler that strips types,
 * only to strip those of the file that turns the cache on.
 */
const compileCache = fileURLToPath(new URL('../../node_modules/.cache/paddock', import.meta.url));

function launch({ name, script, engineFlags, env, log, pidFile }: ProcessPlan): Promise<Child> {
  const register = new URL('../../infra/otel/register.ts', import.meta.url);
  return startChild({
    name,
    command: process.execPath,
    // Crash reports, where somebody turns them on, name every variable; threads have reports too.
    args: ['--report-exclude-env', ...engineFlags, '--import', register.href, script],
    env: { NODE_COMPILE_CACHE: compileCache, ...env, PROCESS_NAME: name },
    log,
    pidFile,
    // Drain takes up to ten seconds (DRAIN_SECONDS); the rest is for the exit itself.
    stopMs: 12_000,
  });
}
