import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly limitMs: number;
}

/** `late` was ended by us, however it ended then. */
export type Ended =
  | { readonly kind: 'ended'; readonly code: number | null }
  | { readonly kind: 'late' };

/** From the first word to the last: servers of a check sync their files before they go. */
const patienceMs = 15_000;
const isWindows = process.platform === 'win32';

/** Runs a command with our output, and ends it with all that it started when its time is up. */
export async function runWithin({ command, args, cwd, env, limitMs }: Command): Promise<Ended> {
  const child = spawn(command, args, {
    ...{ cwd, env, stdio: ['ignore', 'inherit', 'inherit'], shell: isWindows },
    // A group of its own, so that what it started can be ended with it.
    detached: !isWindows,
  });
  const pass = (signal: NodeJS.Signals) => {
    signalTree(child, signal);
    process.exit(1);
  };
  // The terminal signals its own group only, and whoever ends us means all of it.
  for (const signal of endings) process.on(signal, pass);
  const timers: NodeJS.Timeout[] = [];
  let isLate = false;
  timers.push(
    setTimeout(() => {
      isLate = true;
      signalTree(child, 'SIGTERM');
      timers.push(setTimeout(() => signalTree(child, 'SIGKILL'), patienceMs));
    }, limitMs),
  );
  const [code] = (await once(child, 'exit')) as [number | null];
  // What it left behind in its group, too.
  if (isLate) signalTree(child, 'SIGKILL');
  for (const timer of timers) clearTimeout(timer);
  for (const signal of endings) process.off(signal, pass);
  return isLate ? { kind: 'late' } : { kind: 'ended', code };
}

const endings = ['SIGINT', 'SIGTERM'] as const;

function signalTree({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  if (isWindows) {
    spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore' });
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // Nobody is left in it.
  }
}
