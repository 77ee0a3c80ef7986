import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Fault, FaultCode } from '../../machines/fault.ts';
import { type HeadLines, requestIdOf, setLines, settleHead, writeHead } from './answer-head.ts';
import { statusByCode, wireCodeOf } from './faults.ts';
import { PreparedAnswer } from './prepared-answer.ts';
import type { StreamedAnswer } from './streamed-answer.ts';

export const jsonType = 'application/json; charset=utf-8';

/** Writes what a handler answered; `undefined` is 204. */
export function sendAnswer(response: ServerResponse, answer: unknown): void {
  if (isOver(response)) return;
  if (answer === undefined) {
    sendBody(response, 204, undefined);
  } else if (answer instanceof PreparedAnswer) {
    setHeaders(response, answer.headers);
    sendBody(response, answer.status, answer.body);
  } else {
    sendBody(response, 200, JSON.stringify(answer));
  }
}

/**
 * Sends chunk by chunk, at the client's pace. Resolves when the answer is out or cut off; an error
 * of `chunks` after the headers can only break the connection, which tells the client as much.
 */
export async function sendStream(
  response: ServerResponse,
  { status, headers, chunks }: StreamedAnswer,
): Promise<void> {
  if (isOver(response)) return;
  response.statusCode = status;
  settleHead(response);
  setHeaders(response, headers);
  if (response.req.method === 'HEAD') {
    response.end();
    return;
  }
  response.flushHeaders();
  // Ends or destroys the response, and returns the iterator when the client has gone.
  await pipeline(Readable.from(chunks, { objectMode: true }), response);
}

export function sendFault(response: ServerResponse, fault: Fault): void {
  if (isOver(response)) return;
  const status = statusByCode[fault.code];
  if (status === 429 || status === 503) {
    settleHead(response);
    response.setHeader('Retry-After', String(retryAfterSeconds(fault, response)));
  }
  if (fault.code === 'OVERLOADED' || fault.code === 'READ_ONLY') {
    response.setHeader('X-Admission', 'rejected');
  }
  sendBody(response, status, faultText(fault));
}

/** Refuses what is wrong with the message itself, for which the API has no code. */
export function sendPlain(response: ServerResponse, status: number, detail: string): void {
  response.shouldKeepAlive = false;
  sendBody(response, status, JSON.stringify({ detail }));
}

/** Tells a client that waits for it (`Expect: 100-continue`) to send its body. */
export function letBodyCome(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.expect === undefined || request.httpVersion === '1.0') return;
  response.shouldKeepAlive = !/\bclose\b/i.test(request.headers.connection ?? '');
  response.writeContinue();
}

/** The body of its answer. */
export function faultText(fault: Fault): string {
  return JSON.stringify(faultBody(fault));
}

function faultBody(fault: Fault): Record<string, unknown> {
  if (fault.code === 'VALIDATION_FAILED') return { detail: fault.extras['errors'] ?? [] };
  return { detail: fault.message, error_code: wireCodeOf(fault.code), ...fault.extras };
}

const spreadSecondsByCode: Partial<Record<FaultCode, number>> = { OVERLOADED: 10, READ_ONLY: 30 };
const defaultSpreadSeconds = 3;

/**
 * What the fault says of the time, else 1 to a few seconds: spread by the request's random id, so
 * that those who were turned away together do not come back together.
 */
function retryAfterSeconds(fault: Fault, response: ServerResponse): number {
  const said = fault.extras['retry_after_seconds'] ?? fault.extras['remaining_seconds'];
  if (typeof said === 'number') return Math.max(1, Math.ceil(said));
  return spreadSeconds(fault.code, requestIdOf(response) ?? '0');
}

export function spreadSeconds(code: FaultCode, requestId: string): number {
  const spread = spreadSecondsByCode[code] ?? defaultSpreadSeconds;
  const dice = Number.parseInt(requestId.slice(-4), 16);
  return 1 + ((Number.isNaN(dice) ? 0 : dice) % spread);
}

/** The last step of every answer that is no stream; none for who is gone. */
export function sendBody(
  response: ServerResponse,
  status: number,
  body: string | Uint8Array | undefined,
  head: HeadLines = { lines: [] },
): void {
  if (isOver(response)) return;
  if (body === undefined) {
    response.statusCode = status;
    setLines(response, head);
    response.end();
    return;
  }
  const byteLength = Buffer.byteLength(body);
  head.lines.push('Content-Type', jsonType, 'Content-Length', String(byteLength));
  writeHead(response, status, head);
  if (response.req.method === 'HEAD') response.end();
  else if (typeof body !== 'string' && body.length > pieceBytes) endInPieces(response, body);
  // The same bytes; as UTF-8 the engine would look at each character.
  else response.end(body, byteLength === body.length ? 'latin1' : 'utf8');
}

const pieceBytes = 256 * 1024;

/** Of bytes that are handed over at once nobody could tell how many were taken. */
function endInPieces(response: ServerResponse, body: Uint8Array): void {
  let at = 0;
  const go = () => {
    while (at < body.length) {
      const piece = body.subarray(at, at + pieceBytes);
      at += piece.length;
      if (!response.write(piece)) {
        response.once('drain', go);
        return;
      }
    }
    response.end();
  };
  go();
}

/** Its client is gone, or was answered by somebody else: Node throws at a header that comes then. */
function isOver(response: ServerResponse): boolean {
  return response.headersSent || response.destroyed;
}

/** Beside what every answer says, or in its place. */
export function setHeaders(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
): void {
  for (const name in headers) {
    settleHead(response);
    response.setHeader(name, headers[name] ?? '');
  }
}

/**
 * Calls `leave` when the response has closed, however it ended. Its bound on listeners grows with it: a
 * stream that is passed on has as many of its own as Node takes for usual.
 */
export function onceClosed(response: ServerResponse, leave: () => void): void {
  response.setMaxListeners(response.getMaxListeners() + 1);
  response.once('close', leave);
}

const discardedBytesMax = 32 * 1024 * 1024;

/**
 * Lets the rest of an unread body run into nothing, so that the client, which may still be sending,
 * reads its answer before the connection is used again; a flood is cut off.
 */
export function discardRest(request: IncomingMessage): void {
  // What has arrived but was not read would stay in memory, and its request without an end.
  if (request.readableEnded || request.destroyed) return;
  if (request.complete && request.readableLength === 0) {
    request.resume();
    return;
  }
  let discarded = 0;
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > discardedBytesMax) request.destroy();
  });
  // Whoever stopped reading may have left it paused, which a listener alone does not end.
  request.resume();
}
