import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** What a client is told whose bytes never became a request of ours; no code, for no route spoke. */
interface Refusal {
  readonly status: number;
  readonly detail: string;
}

const refusalByCode: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: 'The request took too long to arrive.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, detail: 'The chunk extensions are too large.' },
  HPE_HEADER_OVERFLOW: { status: 431, detail: 'The headers are too large.' },
};
const unreadable: Refusal = { status: 400, detail: 'This is no well-formed HTTP/1.1 request.' };

/** Answers on the bare socket what the HTTP parser gave up on, in the form of every other answer. */
export function refuseUnreadable(
  error: Error,
  socket: Duplex,
  by: { readonly traceId: string; readonly hasBegunToAnswer: boolean },
): void {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  // Half an answer is on its way: more bytes would be taken for its rest.
  if (!socket.writable || by.hasBegunToAnswer || code === 'ECONNRESET') socket.destroy();
  else endWith(socket, refusalByCode[code] ?? unreadable, by.traceId);
}

/** We are no proxy. */
export function refuseTunnel(socket: Duplex, traceId: string): void {
  // A client that is gone before it reads this is no error of ours.
  socket.once('error', () => socket.destroy());
  endWith(socket, { status: 405, detail: 'There are no tunnels here.' }, traceId);
}

/** HTTP/1.1 demands the header; what stands in it means nothing here. */
export function lacksHost(request: IncomingMessage): boolean {
  return request.httpVersion === '1.1' && request.headers.host === undefined;
}

function endWith(socket: Duplex, { status, detail }: Refusal, traceId: string): void {
  const body = JSON.stringify({ detail });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${traceId}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  if (status === 405) head.push('Allow: GET, HEAD, POST, PUT, PATCH, DELETE');
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
