/**
 * CPython 3.11 for tests, in a child process: what a file means is its to say, and a snippet that
 * is meant to break out can be run in it. A snippet that hangs or ends the interpreter costs its
 * child; the next question gets a fresh one.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

export interface CPythonQuestion {
  readonly kind: 'compile' | 'run';
  readonly file: Uint8Array;
  readonly name: string;
}

export type CPythonAnswer =
  | {
      readonly ok: true;
      /** After `run`: the `repr` of what the asked name is bound to, null when it is unbound. */
      readonly value?: string | null;
    }
  | {
      readonly ok: false;
      /** `SyntaxError: …`, `ended` when the interpreter died, `late` when the deadline passed. */
      readonly error: string;
      readonly message?: string;
      readonly line?: number | null;
      readonly offset?: number | null;
    };

export interface CPython {
  /** What `compile(file, "agent.py", "exec")` says. */
  compile(file: string | Uint8Array): Promise<CPythonAnswer>;
  /** Executes a file in a fresh namespace and tells what it bound `name` (`R` unless told) to. */
  run(file: string | Uint8Array, options?: RunOptions): Promise<CPythonAnswer>;
  dispose(): Promise<void>;
}

export interface RunOptions {
  readonly name?: string;
  /** Wall clock; generous, because the machine may be busy. */
  readonly deadlineMs?: number;
}

const startMs = 60_000;

/** Questions are answered one after the other; the interpreter starts with the first. */
export function startCPython(): CPython {
  let child: ChildProcess | null = null;
  let last: Promise<unknown> = Promise.resolve();

  async function ask(question: CPythonQuestion, deadlineMs: number): Promise<CPythonAnswer> {
    child ??= await started();
    const answer = nextAnswer(child, deadlineMs);
    child.send(question);
    const told = await answer;
    if (!told.ok && (told.error === 'late' || told.error === 'ended')) await end();
    return told;
  }
  async function end(): Promise<void> {
    const old = child;
    child = null;
    if (old === null || old.exitCode !== null || old.signalCode !== null) return;
    const gone = new Promise((resolve) => old.once('exit', resolve));
    old.kill('SIGKILL');
    await gone;
  }
  const inTurn = <T>(job: () => Promise<T>): Promise<T> => {
    const turn = last.then(job);
    last = turn.catch(() => undefined);
    return turn;
  };
  const bytes = (file: string | Uint8Array) =>
    typeof file === 'string' ? Buffer.from(file) : file;

  return {
    compile: (file) => inTurn(() => ask({ kind: 'compile', file: bytes(file), name: '' }, startMs)),
    run: (file, { name = 'R', deadlineMs = 10_000 } = {}) =>
      inTurn(() => ask({ kind: 'run', file: bytes(file), name }, deadlineMs)),
    dispose: () => inTurn(end),
  };
}

async function started(): Promise<ChildProcess> {
  const child = fork(new URL('./cpython-process.ts', import.meta.url), {
    env: {},
    execArgv: ['--stack-size=4000'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const ready = await nextAnswer(child, startMs);
  if (!ready.ok) throw new Error(`CPython does not start: ${ready.error}`);
  return child;
}

async function nextAnswer(child: ChildProcess, deadlineMs: number): Promise<CPythonAnswer> {
  const { promise, resolve } = Promise.withResolvers<CPythonAnswer>();
  const ended = () => resolve({ ok: false, error: 'ended' });
  const patience = new AbortController();
  child.once('message', resolve).once('exit', ended);
  const late = sleep(deadlineMs, undefined, { signal: patience.signal }).then(
    () => resolve({ ok: false, error: 'late' }),
    () => undefined,
  );
  try {
    return await promise;
  } finally {
    child.off('message', resolve).off('exit', ended);
    patience.abort();
    await late;
  }
}
