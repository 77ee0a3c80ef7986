import { after } from './clock.ts';

/** Longer than the service lets any answer take to begin. */
export const answerBeginsMs = 60_000;

/** Fails where no answer begins in time; its body may then take what the line needs. */
export async function fetchInTime(address: string, init: RequestInit = {}): Promise<Response> {
  const given = init.signal;
  const ended = new AbortController();
  const end = () => ended.abort(given?.reason);
  // Not `AbortSignal.any`: some browsers that these pages are built for have none.
  if (given?.aborted === true) end();
  given?.addEventListener('abort', end, { once: true });
  const begun = after(answerBeginsMs, end);
  try {
    return await fetch(address, { ...init, signal: ended.signal });
  } finally {
    begun();
  }
}
