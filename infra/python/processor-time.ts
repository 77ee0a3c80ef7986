import type { Worker } from 'node:worker_threads';
import type { Clock } from '../ports/clock.ts';

export interface TimeAllowance {
  readonly limitMs: number;
  readonly clock: Clock;
  /** Aborts when the thread has answered. */
  readonly signal: AbortSignal;
}

/**
 * `spent`: the file's own doing. `disturbed`: it got less than two thirds of a processor, and what
 * it did get was slowed down by others' work, so that the time says nothing of the file.
 */
export type TimeOutcome = 'answered' | 'spent' | 'disturbed';

// On a busy machine a thread may get a tenth of a processor.
const waitFactor = 10;
const disturbedFrom = 1.5;

/**
 * Starts `job` on the thread and resolves when it has used its processor time or answered. Not the
 * wall clock's, because a miner must not be refused for what else the machine does: that only
 * ends what does not even tell how much it used.
 */
export async function processorTimeSpent(
  thread: Pick<Worker, 'cpuUsage'>,
  { limitMs, clock, signal }: TimeAllowance,
  job: () => void,
): Promise<TimeOutcome> {
  const before = await thread.cpuUsage();
  job();
  const startedAt = clock.monotonicMs();
  const wallEndsAt = startedAt + limitMs * waitFactor;
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
  if (signal.aborted) return 'answered';
  const share = (clock.monotonicMs() - startedAt) / (limitMs - leftMs);
  return Number.isFinite(share) && share > disturbedFrom ? 'disturbed' : 'spent';
}
