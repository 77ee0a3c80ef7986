import type { Worker } from 'node:worker_threads';
import type { Clock } from '../ports/clock.ts';
import { keepRuffCompiled } from './compiled-ruff.ts';
import type { FileReading } from './file-reading.ts';
import { processorTimeSpent } from './processor-time.ts';
import { readingThread } from './reading-thread.ts';
import type { SandboxProfile } from './sandbox-profile.ts';
import type { WorkerAnswer } from './worker-answer.ts';

export interface LaneOptions {
  /** Processor time that one file may take. */
  readonly deadlineMs: number;
  readonly profile: SandboxProfile;
  readonly clock: Clock;
}

/** One analysis thread, replaced whenever a file got the better of it. */
export interface AnalysisLane {
  /** Resolves when the thread can take a file; rejects when it cannot be started at all. */
  ready(): Promise<void>;
  /** One call at a time: an answer does not say of which file it is. Rejects where none was read. */
  run(file: Uint8Array): Promise<FileReading>;
  stop(): Promise<void>;
}

// A megabyte of the densest honest code is read within 128 MB; the stack holds 200 nested brackets
// easily.
const resourceLimits = {
  maxOldGenerationSizeMb: 192,
  maxYoungGenerationSizeMb: 32,
  stackSizeMb: 16,
};

export function createAnalysisLane({ deadlineMs, profile, clock }: LaneOptions): AnalysisLane {
  let starting: Promise<Worker> | null = null;
  let isReading = false;

  const worker = (): Promise<Worker> => {
    starting ??= startWorker(profile);
    return starting;
  };
  const retire = async (): Promise<void> => {
    const old = starting;
    starting = null;
    await old?.then(
      (thread) => thread.terminate(),
      () => undefined,
    );
  };

  const read = async (file: Uint8Array): Promise<FileReading> => {
    const answer = await answerWithin(await worker(), file, { deadlineMs, clock });
    if (answer.kind === 'read') {
      if (answer.retire) await retire();
      return answer.reading;
    }
    await retire();
    return refusal(answer, deadlineMs);
  };

  return {
    ready: async () => void (await worker()),
    async run(file) {
      if (isReading) throw new Error('an analysis thread reads one file at a time');
      isReading = true;
      try {
        return await read(file);
      } catch (error) {
        // One that does not start, or ended between two files, would fail the next one, too.
        await retire();
        throw error;
      } finally {
        isReading = false;
      }
    },
    stop: retire,
  };
}

type Ending =
  | WorkerAnswer
  | { readonly kind: 'late' | 'disturbed' }
  | { readonly kind: 'died'; readonly error: unknown };

/** A file that cannot be judged is refused: what was not read to the end cannot be accepted. */
function refusal(ending: Exclude<Ending, { kind: 'read' }>, deadlineMs: number): FileReading {
  if (ending.kind === 'disturbed') return { kind: 'disturbed' };
  if (ending.kind === 'late') {
    const reason = `the file is too complex to analyse within ${deadlineMs / 1000} s`;
    return { kind: 'unreadable', reason };
  }
  if (ending.kind === 'defect') {
    const error = ending.error instanceof Error ? ending.error : new Error(String(ending.error));
    process.emitWarning(error);
  }
  return { kind: 'unreadable', reason: 'the file is too complex to analyse' };
}

/** Resolves when the thread has loaded its parser. */
async function startWorker(profile: SandboxProfile): Promise<Worker> {
  await keepRuffCompiled();
  const program = new URL('./analysis-worker.ts', import.meta.url);
  const thread = readingThread(program, { resourceLimits, workerData: profile });
  const ending = await nextEnding(thread).ending;
  if (ending.kind !== 'ready') {
    throw new Error('the analysis thread does not start', { cause: ending });
  }
  // Stays for good: a killed thread may still report an error, which nobody waits for any more.
  thread.on('error', () => undefined);
  // Idle threads must not keep a stopping process alive.
  thread.unref();
  return thread;
}

async function answerWithin(
  thread: Worker,
  file: Uint8Array,
  { deadlineMs, clock }: { deadlineMs: number; clock: Clock },
): Promise<Ending> {
  const answered = new AbortController();
  thread.ref();
  const { ending, forget } = nextEnding(thread);
  const allowance = { limitMs: deadlineMs, clock, signal: answered.signal };
  const late = processorTimeSpent(thread, allowance, () => thread.postMessage(file));
  try {
    const kind = { answered: 'late', spent: 'late', disturbed: 'disturbed' } as const;
    return await Promise.race([ending, late.then((how): Ending => ({ kind: kind[how] }))]);
  } finally {
    answered.abort();
    forget();
    thread.unref();
  }
}

/** The next thing the thread says, or its end: out of memory is an error, a crash an exit. */
function nextEnding(thread: Worker): { ending: Promise<Ending>; forget: () => void } {
  const { promise, resolve } = Promise.withResolvers<Ending>();
  const onError = (error: unknown) => resolve({ kind: 'died', error });
  const onExit = (code: number) => resolve({ kind: 'died', error: new Error(`exit code ${code}`) });
  thread.once('message', resolve);
  thread.once('error', onError);
  thread.once('exit', onExit);
  const forget = () => {
    thread.off('message', resolve);
    thread.off('error', onError);
    thread.off('exit', onExit);
  };
  return { ending: promise.finally(forget), forget };
}
