import type { Clock } from '../ports/clock.ts';

/** Runs `work` and aborts its signal after `timeoutMs`. */
export async function withDeadline<Result>(
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = new AbortController();
  const finished = new AbortController();
  const timer = clock.sleep(timeoutMs, finished.signal).then(() => {
    if (!finished.signal.aborted) deadline.abort(new Error(`no answer within ${timeoutMs} ms`));
  });
  try {
    return await work(deadline.signal);
  } finally {
    finished.abort();
    await timer;
  }
}
