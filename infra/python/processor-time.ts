import type { Worker } from 'node:worker_threads';
import type { Clock } from '../ports/clock.ts';

export interface TimeAllowance {
  readonly limitMs: number;
  readonly clock: Clock;
  /** Aborts when the thread has answered. */
  readonly signal: AbortSignal;
}

// On a busy machine a thread may get a tenth of a processor.
const waitFactor = 10;

/**
 * Starts `job` on the thread and resolves with true when it has used its processor time, with
 * false when it answered first. Processor time, because a miner must not be refused for what else
 * the machine does. The wall clock only ends what does not even answer that question.
 */
export async function processorTimeSpent(
  thread: Worker,
  { limitMs, clock, signal }: TimeAllowance,
  job: () => void,
): Promise<boolean> {
  const before = await thread.cpuUsage();
  job();
  const wallEndsAt = clock.monotonicMs() + limitMs * waitFactor;
  let leftMs = limitMs;
  while (leftMs > 0 && clock.monotonicMs() < wallEndsAt && !signal.aborted) {
    await clock.sleep(Math.max(leftMs, 10), signal);
    const used = await Promise.race([
      // It rejects when the thread is gone, which the other listeners report.
      thread.cpuUsage(before).catch(() => null),
      clock.sleep(limitMs, signal).then(() => null),
    ]);
    if (used !== null) leftMs = limitMs - (used.user + used.system) / 1000;
  }
  return !signal.aborted;
}
