/**
 * The process that holds one CPython. Its main thread only watches: it hands a file to CPython's
 * thread, counts that thread's processor time, and ends with the process when a file got the
 * better of it or when there is no parent left.
 */
import { Worker } from 'node:worker_threads';
import { systemClock } from '../../clock/system-clock.ts';
import { giveWay } from '../give-way.ts';
import { processorTimeSpent } from '../processor-time.ts';
import type { JudgeAnswer, Judgement } from './judgement.ts';

const deadlineMs = Number(process.argv[2]);
const niceness = Number(process.argv[3]);

// The parent sees to it as soon as it can, for the engine's own threads; CPython's is not left to chance.
giveWay(niceness);

const thread = new Worker(new URL('./interpreter-thread.ts', import.meta.url), {
  env: {},
  execArgv: [],
  // CPython's own bounds on nesting must be met before the engine's stack ends.
  resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8, stackSizeMb: 64 },
});
thread.on('error', () => give({ kind: 'exhausted', what: 'depth' }));
thread.on('message', (answer: JudgeAnswer) => void tell(answer));

process.on('message', (file: Uint8Array) => void judge(file));
process.on('disconnect', () => process.exit(0));

let judged: AbortController | null = null;

async function judge(file: Uint8Array): Promise<void> {
  judged = new AbortController();
  const { signal } = judged;
  const outcome = await processorTimeSpent(
    thread,
    { limitMs: deadlineMs, clock: systemClock, signal },
    () => thread.postMessage(file),
  );
  if (signal.aborted || outcome === 'answered') return;
  give(outcome === 'spent' ? { kind: 'exhausted', what: 'time' } : { kind: 'disturbed' });
}

/** The last word: CPython's thread is in no state to take another file. */
function give(judgement: Judgement): void {
  tell({ kind: 'judged', judgement, worn: true });
}

function tell(answer: JudgeAnswer): void {
  judged?.abort();
  const isLast = answer.kind === 'judged' && answer.worn;
  process.send?.(answer, () => {
    if (isLast) process.exit(0);
  });
}
