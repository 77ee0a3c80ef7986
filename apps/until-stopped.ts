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
 * Resolves at the first SIGTERM or SIGINT; a second one ends the process as if nobody listened. Call
 * it once everything has started: until then there is nothing to drain, and a start that waits for a
 * neighbour must be ended by a signal like any program.
 */
export async function untilStopped(process: NodeJS.Process): Promise<void> {
  await new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
}
