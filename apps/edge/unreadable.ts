import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { securityHeaderLines } from './middleware/security-headers.ts';

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
  else if (isEndlessTarget(error)) endWith(socket, targetTooLong, by.traceId);
  else endWith(socket, refusalByCode[code] ?? unreadable, by.traceId);
}

/** Longer than any path and query of ours, however much of it is percent encoding. */
const targetCharactersMax = 8192;
/** A deployed client sends about ten, a browser behind two proxies about thirty. */
const headersMax = 100;

const targetTooLong: Refusal = {
  status: 414,
  detail: `The request target may have at most ${targetCharactersMax} characters.`,
};

/** What the parser gave up on in the middle of a first line that begins this packet. */
function isEndlessTarget(error: Error): boolean {
  if (!('code' in error) || error.code !== 'HPE_HEADER_OVERFLOW') return false;
  if (!('rawPacket' in error) || !(error.rawPacket instanceof Uint8Array)) return false;
  const text = Buffer.from(error.rawPacket.subarray(0, 2 * targetCharactersMax)).toString('latin1');
  return /^[A-Z]{3,16} [^\n]*$/.test(text);
}

/** What well-formed requests may not be all the same; undefined when all is well. */
export function oddityOf(request: IncomingMessage): Refusal | undefined {
  const { url = '', rawHeaders, httpVersion } = request;
  // The parser takes a first line without a version for HTTP/0.9.
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    return { status: 505, detail: 'HTTP/1.1 is spoken here.' };
  }
  if (url.length > targetCharactersMax) return targetTooLong;
  if (rawHeaders.length > 2 * headersMax) {
    return { status: 431, detail: `A request may have at most ${headersMax} headers.` };
  }
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) {
    return { status: 400, detail: 'HTTP/1.1 demands one Host header.' };
  }
  return undefined;
}

/** Turned away at the door: nothing of it is read, and the next one may get in a moment later. */
export function refuseConnection(socket: Socket, traceId: string): void {
  socket.once('error', () => socket.destroy());
  endWith(socket, tooManyConnections, traceId);
  // What it sends meanwhile is nobody's.
  socket.destroySoon();
}

const tooManyConnections: Refusal = {
  status: 503,
  detail: 'Too many connections are open; try again soon.',
};

/** We are no proxy. */
export function refuseTunnel(socket: Socket, traceId: string): void {
  // A client that is gone before it reads this is no error of ours.
  socket.once('error', () => socket.destroy());
  endWith(socket, { status: 405, detail: 'There are no tunnels here.' }, traceId);
  // Node has let go of it: no time-out of the server's and no `closeAllConnections` ends it.
  socket.destroySoon();
}

function endWith(socket: Duplex, { status, detail }: Refusal, traceId: string): void {
  const body = JSON.stringify({ detail });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${traceId}`,
    ...securityHeaderLines,
    'Connection: close',
  ];
  if (status === 405) head.push('Allow: GET, HEAD, POST, PUT, PATCH, DELETE');
  if (status === 503) head.push('Retry-After: 2', 'X-Admission: rejected');
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
