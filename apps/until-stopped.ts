import { systemClock } from '../infra/clock/system-clock.ts';
import type { Clock } from '../infra/ports/clock.ts';

/**
 * Turns the loss of the parent into a SIGTERM: who was started with a channel was started to be
 * stopped through it, and must not outlive it.
 */
export function endWithParent(process: NodeJS.Process): void {
  const end = () => process.kill(process.pid, 'SIGTERM');
  process.once('disconnect', end);
  // It may have left while our modules were loading.
  if (process.send !== undefined && !process.connected) end();
  // Listening holds the channel open; a process that failed must still be able to end.
  process.channel?.unref();
}

/**
 * Resolves at the first SIGTERM or SIGINT. The same stop may reach us twice, where all of a group of
 * processes are told and whoever started us passes on what he was told; a second one that comes later
 * ends the process as if nobody listened. Call it once everything has started: until then there is
 * nothing to drain, and a start that waits for a neighbour must be ended by a signal like any program.
 */
export async function untilStopped(
  process: Pick<NodeJS.Process, 'kill' | 'off' | 'on' | 'pid'>,
  { monotonicMs }: Pick<Clock, 'monotonicMs'> = systemClock,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const signals = ['SIGTERM', 'SIGINT'] as const;
    let stoppedMs: number | undefined;
    const onSignal = (signal: NodeJS.Signals) => {
      const nowMs = monotonicMs();
      stoppedMs ??= nowMs;
      resolve();
      if (nowMs - stoppedMs < sameStopMs) return;
      for (const each of signals) process.off(each, onSignal);
      process.kill(process.pid, signal);
    };
    for (const each of signals) process.on(each, onSignal);
  });
}

const sameStopMs = 1_000;
