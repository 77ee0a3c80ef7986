/**
 * Asks CPython 3.11 whether a file is one of its own, in a child process.
 *
 * 1. One file at a time; a file that got the better of its process costs that process only.
 * 2. The process starts with the first file and is replaced after a kill, a fatal error, a grown
 *    memory and a number of files; the next file never waits for a file before it to be given up.
 * 3. A process that ends without a word is not the file's fault the first time: it is tried once
 *    more. The second time it is.
 */
import type { Clock } from '../../ports/clock.ts';
import { type JudgeChild, startJudgeChild } from './judge-child.ts';
import type { Judgement } from './judgement.ts';

export interface PythonJudge {
  /** Rejects only when no process can be started. */
  judge(file: Uint8Array): Promise<Judgement>;
  /** Undefined while none runs. */
  pid(): number | undefined;
  /** Ends the process; the next file starts another. */
  rest(): Promise<void>;
}

export interface PythonJudgeOptions {
  /** Processor time of one file. */
  readonly deadlineMs: number;
  readonly clock: Clock;
  /** After so many files a process is replaced, whatever it looks like. */
  readonly filesMax?: number;
}

export function createPythonJudge(options: PythonJudgeOptions): PythonJudge {
  const { filesMax = 5000 } = options;
  let starting: Promise<JudgeChild> | null = null;
  let running: JudgeChild | null = null;
  let judgedFiles = 0;
  let turn: Promise<unknown> = Promise.resolve();

  const process = async (): Promise<JudgeChild> => {
    starting ??= startJudgeChild(options);
    try {
      running = await starting;
      return running;
    } catch (error) {
      starting = null;
      throw error;
    }
  };
  const retire = async (): Promise<void> => {
    const old = starting;
    [starting, running, judgedFiles] = [null, null, 0];
    await old?.then((child) => child.kill()).catch(() => undefined);
  };
  /** The next file should not pay for this one. */
  const replace = async (): Promise<void> => {
    await retire();
    const next = startJudgeChild(options);
    starting = next;
    next.catch(() => {
      // The next file tries again and hears why.
      if (starting === next) starting = null;
    });
  };

  async function judge(file: Uint8Array): Promise<Judgement> {
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const child = await process();
      const ending = await child.ask(file);
      if (ending.kind === 'judged') {
        judgedFiles += 1;
        if (ending.worn || judgedFiles >= filesMax) await replace();
        return ending.judgement;
      }
      await replace();
      if (ending.kind === 'mute') return { kind: 'exhausted', what: 'time' };
    }
    return { kind: 'exhausted', what: 'memory' };
  }

  const inTurn = <T>(job: () => Promise<T>): Promise<T> => {
    const mine = turn.then(job);
    turn = mine.catch(() => undefined);
    return mine;
  };
  return {
    judge: (file) => inTurn(() => judge(file)),
    pid: () => running?.pid,
    rest: () => inTurn(retire),
  };
}
