import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../infra/ports/clock.ts';
import { sendPlain } from './answer.ts';
import { announcesBody } from './middleware/json-body.ts';

interface Http {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** For the answer to leave; one that waits for its turn, or is not read, never does. */
const partingMs = 1_000;
/** Clients that are slower repeat in vain; a timer of weeks would overflow, too. */
const fileMsMax = 24 * 3_600_000;

/** Files whose time is counted here alone, and not among all requests. */
const ownTime = new WeakSet<IncomingMessage>();

export function hasOwnTime(request: IncomingMessage): boolean {
  return ownTime.has(request) && !request.complete;
}

/**
 * A body that trickles in holds its place no longer than an answer may take. It is cut off without an answer:
 * clients repeat what breaks off, and validators drop what any 4xx answers.
 */
export function endSlowBody(
  { request }: Http,
  withinMs: number,
  clock: Pick<Clock, 'sleep'>,
): void {
  whenLate(request, withinMs, clock, async () => void request.destroy());
}

/**
 * A file that says how long it is has the time that it needs at the slowest pace of any body (BodyPace), at
 * least `withinMs` and at most a day: a pack of 4 GiB takes an hour where ten megabits a second arrive.
 * Whoever sends one is told, for a repeat at that pace would be in vain.
 */
export function endSlowFile(
  { request, response }: Http,
  {
    withinMs,
    bytesPerSecondMin,
  }: { readonly withinMs: number; readonly bytesPerSecondMin: number },
  clock: Pick<Clock, 'sleep'>,
): void {
  const bytes = Number(request.headers['content-length'] ?? 0);
  const neededMs = (bytes / bytesPerSecondMin) * 1000;
  ownTime.add(request);
  const lateMs = Math.min(Math.max(withinMs, neededMs), fileMsMax);
  whenLate(request, lateMs, clock, async (whole) => {
    if (!response.headersSent) sendPlain(response, 408, 'The body took too long to come.');
    await clock.sleep(partingMs, whole);
    request.destroy();
  });
}

/** Of a body that is whole, or gone, by then nothing is said. */
function whenLate(
  request: IncomingMessage,
  lateMs: number,
  clock: Pick<Clock, 'sleep'>,
  end: (whole: AbortSignal) => Promise<void>,
): void {
  if (request.complete || !announcesBody(request)) return;
  const whole = new AbortController();
  // With a reason: without one each abort makes an exception and its stack.
  request.once('end', () => whole.abort('whole'));
  request.once('close', () => whole.abort('gone'));
  const tooSlow = clock.sleep(lateMs, whole.signal).then(async () => {
    if (!whole.signal.aborted) await end(whole.signal);
  });
  tooSlow.catch(() => undefined);
}
