import { type ChildProcess, fork } from 'node:child_process';
import type { Clock } from '../../ports/clock.ts';
import { haveGiveWay, readersNiceness } from '../give-way.ts';
import type { JudgeAnswer } from './judgement.ts';

/** `gone` when the process ended without a word, `mute` when it said none in time. */
export type JudgeEnding = JudgeAnswer | { readonly kind: 'gone' | 'mute' };

/** One process that holds one CPython. One file at a time. */
export interface JudgeChild {
  readonly pid: number | undefined;
  ask(file: Uint8Array): Promise<JudgeEnding>;
  kill(): Promise<void>;
}

export interface JudgeChildOptions {
  /** Processor time of one file. */
  readonly deadlineMs: number;
  readonly clock: Clock;
}

// The process ends what takes too long itself; this only ends a process that cannot.
const muteFactor = 15;
const startMs = 60_000;
// Enough for the glue's script; CPython's own memory is bounded where it is made.
const engineFlags = ['--max-old-space-size=64', '--max-semi-space-size=2'];

/** Resolves when CPython can take a file. */
export async function startJudgeChild(options: JudgeChildOptions): Promise<JudgeChild> {
  const { deadlineMs, clock } = options;
  // No environment but what Node itself may need to start, no descriptors: a file must find nothing of ours,
  // should it ever get that far.
  // biome-ignore lint/style/noProcessEnv: no setting of ours; where this process found its libraries.
  const { LD_LIBRARY_PATH } = process.env;
  const env = { ...(LD_LIBRARY_PATH !== undefined && { LD_LIBRARY_PATH }) };
  const niceness = readersNiceness();
  const args = [String(deadlineMs), String(niceness)];
  const child = fork(new URL('./judge-process.ts', import.meta.url), args, {
    ...{ env, execArgv: engineFlags, serialization: 'advanced', detached: true },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // Kept for good: it says as well that a pipe broke, of which the exit that follows tells enough.
  child.on('error', () => undefined);
  if (child.pid !== undefined) haveGiveWay(child.pid, niceness);
  const ready = await nextEnding(child, startMs, clock);
  if (ready.kind !== 'ready') {
    child.kill('SIGKILL');
    throw new Error(`CPython does not start: its process is ${ready.kind}`);
  }
  rest(child);
  return {
    pid: child.pid,
    async ask(file) {
      wake(child);
      try {
        const ending = nextEnding(child, deadlineMs * muteFactor, clock);
        if (child.connected) child.send(file);
        return await ending;
      } finally {
        rest(child);
      }
    },
    kill: () => killed(child),
  };
}

/** An idle process must not keep ours from ending. */
function rest(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}

function wake(child: ChildProcess): void {
  child.ref();
  child.channel?.ref();
}

async function killed(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  wake(child);
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) =>
  exitCode !== null || signalCode !== null;

async function nextEnding(child: ChildProcess, ms: number, clock: Clock): Promise<JudgeEnding> {
  if (hasEnded(child)) return { kind: 'gone' };
  const { promise, resolve } = Promise.withResolvers<JudgeEnding>();
  const said = (answer: unknown) => resolve(answer as JudgeAnswer);
  const gone = () => resolve({ kind: 'gone' });
  const answered = new AbortController();
  // A process that could not be started at all has no exit.
  child.once('message', said).once('exit', gone).once('error', gone);
  void clock.sleep(ms, answered.signal).then(() => resolve({ kind: 'mute' }));
  try {
    return await promise;
  } finally {
    answered.abort();
    child.off('message', said).off('exit', gone).off('error', gone);
  }
}
