import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../infra/ports/clock.ts';
import { sendPlain } from './answer.ts';
import { announcesBody } from './middleware/json-body.ts';

/** For the answer to leave; one that waits for its turn, or is not read, never does. */
const partingMs = 1_000;
/** Clients that are slower repeat in vain; a timer of weeks would overflow, too. */
const fileMsMax = 24 * 3_600_000;

/** Files whose time is counted here alone, and not among all requests. */
const ownTime = new WeakSet<IncomingMessage>();

export function hasOwnTime(request: IncomingMessage): boolean {
  return ownTime.has(request) && !request.complete;
}

/** A body that trickles in holds its place no longer than an answer may take. */
export function endSlowBody(
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  withinMs: number,
  clock: Pick<Clock, 'sleep'>,
): void {
  if (request.complete || !announcesBody(request)) return;
  const whole = new AbortController();
  // With a reason: without one each abort makes an exception and its stack.
  request.once('end', () => whole.abort('whole'));
  request.once('close', () => whole.abort('gone'));
  const tooSlow = clock.sleep(withinMs, whole.signal).then(async () => {
    if (whole.signal.aborted) return;
    if (!response.headersSent) sendPlain(response, 408, 'The body took too long to come.');
    await clock.sleep(partingMs, whole.signal);
    request.destroy();
  });
  tooSlow.catch(() => undefined);
}

/**
 * What says how long it is has the time that it needs at the slowest pace of any body (BodyPace), at
 * least `withinMs` and at most a day: a pack of 4 GiB takes an hour where ten megabits a second arrive.
 */
export function endSlowFile(
  http: { readonly request: IncomingMessage; readonly response: ServerResponse },
  {
    withinMs,
    bytesPerSecondMin,
  }: { readonly withinMs: number; readonly bytesPerSecondMin: number },
  clock: Pick<Clock, 'sleep'>,
): void {
  const bytes = Number(http.request.headers['content-length'] ?? 0);
  const neededMs = (bytes / bytesPerSecondMin) * 1000;
  ownTime.add(http.request);
  endSlowBody(http, Math.min(Math.max(withinMs, neededMs), fileMsMax), clock);
}
