/** Resolves at the first SIGTERM or SIGINT; a second one ends the process as if nobody listened. */
export async function untilStopped(process: NodeJS.Process): Promise<void> {
  await new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
    // The parent is gone: who started us to be stopped by it must not outlive it.
    process.once('disconnect', () => resolve());
    // Listening holds the channel open; a process that failed must still be able to end.
    process.channel?.unref();
  });
}
