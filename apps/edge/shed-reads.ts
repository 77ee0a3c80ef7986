import type { IncomingMessage, ServerResponse } from 'node:http';
import { refusal } from '../../machines/refusal.ts';
import { faultText, jsonType, spreadSeconds } from './answer.ts';
import { announcesBody } from './middleware/json-body.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { isAnonymous } from './prove-caller.ts';
import { oddityOf } from './unreadable.ts';

/** What nobody who has to act depends on: it is refused first, and first of all. Not what tells of us. */
export function isRead(request: IncomingMessage): boolean {
  return asks(request) && isAnonymous(request.headers) && !isHealthCheck(request);
}

/**
 * By which a proxy tells whether to send us more, so it waits behind nobody: for a flood that turned it
 * away the proxy would take us out, and send the flood to the next edge.
 */
export function isHealthCheck(request: Pick<IncomingMessage, 'method' | 'url'>): boolean {
  return asks(request) && /^\/health(\/deep)?(\?|$)/.test(request.url ?? '');
}

function asks({ method }: Pick<IncomingMessage, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD';
}

export const tooMuch = refusal('OVERLOADED');
/** A text, for Node writes one behind its head at once, and bytes apart. */
const body = faultText(tooMuch);
const head = [
  ...['Content-Type', jsonType, 'Content-Length', String(Buffer.byteLength(body))],
  ...['X-Admission', 'rejected', ...securityHeaders.flat()],
];

/**
 * Refuses a read at a fraction of what it costs, as text that was written once: of these there are the
 * more the less time we have. False for whatever is not the plainest request of one, for which others
 * have the right words. The connection stays, for a new one would cost us more than this.
 */
export function shedRead(
  request: IncomingMessage,
  response: ServerResponse,
  about: { readonly requestId: string; readonly isSecure: boolean },
): boolean {
  if (announcesBody(request) || about.isSecure || oddityOf(request) !== undefined) return false;
  const seconds = String(spreadSeconds(tooMuch.code, about.requestId));
  response.writeHead(503, ['X-Request-Id', about.requestId, 'Retry-After', seconds, ...head]);
  response.end(request.method === 'HEAD' ? undefined : body);
  return true;
}
