import type { Clock } from '../ports/clock.ts';

/**
 * Runs `work` and aborts its signal after `timeoutMs`. Waited for in two halves: after a stop of this
 * process one timer would be up before the answer is read that has long lain in the socket.
 */
export async function withDeadline<Result>(
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = new AbortController();
  const finished = new AbortController();
  const half = () => clock.sleep(timeoutMs / 2, finished.signal);
  const timer = half()
    .then(half)
    .then(() => {
      if (!finished.signal.aborted) deadline.abort(new Error(`no answer within ${timeoutMs} ms`));
    });
  try {
    return await work(deadline.signal);
  } finally {
    finished.abort();
    await timer;
  }
}
