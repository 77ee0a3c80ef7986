import { setFlagsFromString } from 'node:v8';
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { threadEnvironment } from '../thread-environment.ts';

/** A thread that reads submissions and finds nothing of ours there, should one ever get that far. */
export function readingThread(
  program: URL,
  { resourceLimits, workerData }: { resourceLimits: ResourceLimits; workerData?: unknown },
): Worker {
  // An edge's own heap is small on purpose, by a flag that overrules the limits of every later thread:
  // the hardest files would take a third longer. The main thread's heap keeps what it began with.
  setFlagsFromString('--max-semi-space-size=0');
  return new Worker(program, {
    workerData,
    resourceLimits,
    env: threadEnvironment(),
    execArgv: ['--report-exclude-env'],
  });
}
