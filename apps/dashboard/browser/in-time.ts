import { after } from './clock.ts';

/** Longer than the service lets any answer take to begin. */
export const answerBeginsMs = 60_000;
/** Between two pieces of a body, of which all may then take what the line needs. */
const pieceComesMs = answerBeginsMs;

/** Fails where no answer begins in time. */
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

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>;

/**
 * The same bytes; fails where none come for so long while they are waited for. What a reader takes that does
 * something else meanwhile does not count.
 */
export function bodyInTime(body: Bytes): Bytes {
  const reader = body.getReader();
  const leave = (reason?: unknown) => reader.cancel(reason).catch(() => undefined);
  const pull = async (out: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
    const cancel = after(pieceComesMs, () => {
      out.error(new Error('nothing came for too long'));
      void leave();
    });
    const { value, done } = await reader.read().finally(cancel);
    if (done) out.close();
    else out.enqueue(value);
  };
  return new ReadableStream({ pull, cancel: leave }, { highWaterMark: 0 });
}

export async function textInTime({ body }: Response): Promise<string> {
  return body === null ? '' : await new Response(bodyInTime(body)).text();
}
