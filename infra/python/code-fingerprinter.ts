import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import type { Clock } from '../ports/clock.ts';
import type { CodeFingerprinter, FingerprintedCode } from '../ports/code-fingerprints.ts';
import { keepRuffCompiled } from './compiled-ruff.ts';
import { readingThread } from './reading-thread.ts';

// A megabyte takes a second of processor time; a crowded machine may give a tenth of a processor.
const deadlineMs = 30_000;
const resourceLimits = {
  maxOldGenerationSizeMb: 512,
  maxYoungGenerationSizeMb: 64,
  stackSizeMb: 16,
};

/** Reads in a thread of its own, which is replaced whenever a file got the better of it. */
export function createCodeFingerprinter(clock: Clock): CodeFingerprinter {
  let starting: Promise<Worker> | undefined;
  const rest = async () => {
    const old = starting;
    starting = undefined;
    await old?.then(
      (thread) => thread.terminate(),
      () => undefined,
    );
  };
  return {
    async read(file) {
      starting ??= startThread();
      const thread = await starting.catch(async (error: unknown) => {
        await rest();
        throw error;
      });
      const answer = await answerOf(thread, file, clock);
      if (answer.kind !== 'read') await rest();
      return answer;
    },
    rest,
  };
}

/** Rejects when the thread cannot load its parser, which is no file’s fault. */
async function startThread(): Promise<Worker> {
  await keepRuffCompiled();
  const program = new URL('./fingerprint-worker.ts', import.meta.url);
  const thread = readingThread(program, { resourceLimits });
  await once(thread, 'message');
  // Stays for good: a killed thread may still report an error, which nobody waits for any more.
  thread.on('error', () => undefined);
  // An idle thread must not keep a stopping process alive.
  thread.unref();
  return thread;
}

async function answerOf(
  thread: Worker,
  file: Uint8Array,
  clock: Clock,
): Promise<FingerprintedCode> {
  const answered = new AbortController();
  const { signal } = answered;
  thread.ref();
  const answer = once(thread, 'message', { signal }).then(([message]) => message);
  const gone = once(thread, 'exit', { signal }).then(() => unreadable('its reader died of it'));
  const late = clock.sleep(deadlineMs, signal).then(() => unreadable('it took too long to read'));
  thread.postMessage(file);
  try {
    return await Promise.race([answer, gone, late]);
  } catch {
    // `once` rejects with the thread's error: out of memory, or of stack.
    return unreadable('its reader failed on it');
  } finally {
    answered.abort();
    await Promise.allSettled([answer, gone]);
    thread.unref();
  }
}

const unreadable = (reason: string): FingerprintedCode => ({ kind: 'unreadable', reason });
