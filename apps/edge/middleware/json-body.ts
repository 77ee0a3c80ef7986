import { isAscii } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fault } from '../../../machines/fault.ts';
import { deeperThan, depthMax, partsUpTo } from '../../../machines/json-depth.ts';
import { refusal } from '../../../machines/refusal.ts';
import { cutDeeper, isStorable } from '../../../machines/storable-json.ts';
import { letBodyCome } from '../answer.ts';
import { invalidRequest } from '../validation.ts';

export interface BodyLimits {
  readonly bytesMax: number;
  /** Lists, objects and texts that it may hold. */
  readonly partsMax?: number | undefined;
  /** Hears what came, before it is parsed. */
  readonly onCame?: ((bytes: number, parts: number) => void) | undefined;
  /** What nests too deep is cut instead of refused. */
  readonly isCut?: boolean;
}

export interface JsonBody {
  /** Undefined when there is no body at all. */
  readonly value: unknown;
  /** A text in it may hold what no database takes. */
  readonly mayBeOdd: boolean;
}

export async function readJsonBody(
  request: IncomingMessage,
  response: ServerResponse,
  { bytesMax, partsMax, onCame, isCut = false }: BodyLimits,
): Promise<JsonBody> {
  if (!announcesBody(request)) return noBody;
  requireJson(request);
  const bytes = await readBody(request, response, bytesMax);
  const parts = partsMax === undefined ? 0 : partsUpTo(bytes, partsMax);
  if (partsMax !== undefined && parts > partsMax) throw tooLarge(partsMax, 'parts');
  onCame?.(bytes.length, parts);
  return bytes.length === 0 ? noBody : parseJson(bytes, isCut);
}

const noBody: JsonBody = { value: undefined, mayBeOdd: false };

export function announcesBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

function requireJson(request: IncomingMessage): void {
  const type = request.headers['content-type'] ?? '';
  const isPlain = type === 'application/json' && request.headers['content-encoding'] === undefined;
  if (isPlain) return;
  const [essence = '', ...parameters] = type
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const isJson = essence === 'application/json' || /^application\/[\w.-]+\+json$/.test(essence);
  const isUtf8 = parameters.every((parameter) => {
    return !parameter.startsWith('charset=') || /^charset="?utf-?8"?$/.test(parameter);
  });
  if (!isJson || !isUtf8) {
    throw refusal('UNSUPPORTED_MEDIA_TYPE', {
      says: 'The body must be application/json in UTF-8.',
      next: 'Send it so, with Content-Type: application/json.',
    });
  }
  // A compressed body could unfold to any size; no client of ours sends one.
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw refusal('UNSUPPORTED_MEDIA_TYPE', {
      says: 'The body must not be compressed.',
      next: 'Send it without Content-Encoding.',
    });
  }
}

async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  bytesMax: number,
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax, 'bytes');
  // It may have gone while its caller was proved: then nothing more is told of it, not even that.
  if (request.destroyed) throw new ClientGone();
  letBodyCome(request, response);
  if (hasWholeBody(request)) {
    // Asked for by its length: without it a read gives the first piece alone.
    const bytes: Buffer = request.read(request.readableLength) ?? empty;
    // A stream ends only when it is read on, also where nobody listens for its end.
    request.resume();
    return bytes;
  }
  return await new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > bytesMax) reject(tooLarge(bytesMax, 'bytes'));
      else chunks.push(chunk);
    });
    request.once('end', () =>
      resolve(chunks.length === 1 ? (chunks[0] ?? empty) : Buffer.concat(chunks)),
    );
    request.once('error', reject);
    // Every request closes in the end, and an error is expensive to make.
    request.once('close', () => {
      if (!request.readableEnded) reject(new ClientGone());
    });
  });
}

const empty = Buffer.alloc(0);

/** Small bodies come with their headers, and wait in memory already when their callers are proved. */
export function hasWholeBody(request: IncomingMessage): boolean {
  const { 'content-length': length } = request.headers;
  return request.readableLength > 0 && Number(length) === request.readableLength;
}

/** The client ended the connection before its request was whole or begun; nobody is left to answer. */
export class ClientGone extends Error {
  override name = 'ClientGone';
}

function tooLarge(most: number, what: 'bytes' | 'parts'): Fault {
  const parts = 'lists, objects and texts, names among them';
  return refusal('BODY_TOO_LARGE', {
    says: `The body may hold at most ${most} ${what === 'bytes' ? what : parts}.`,
  });
}

function parseJson(bytes: Buffer, isCut: boolean): JsonBody {
  const isDeep = deeperThan(bytes, depthMax);
  if (isDeep && !isCut) throw malformed(`must not nest deeper than ${depthMax} levels`);
  let text: string;
  let value: unknown;
  try {
    // Cheaper, and the same characters where there are no others.
    text = isAscii(bytes) ? bytes.toString('latin1') : utf8.decode(bytes);
    value = JSON.parse(text);
  } catch {
    throw malformed('must be valid JSON in UTF-8');
  }
  if (isDeep) value = cutDeeper(value, depthMax);
  // Only escapes can spell what is odd, and they are rare.
  return { value, mayBeOdd: text.includes('\\u') && /\\u(0000|d[89a-f])/i.test(text) };
}

/** Of what its schema left of a body: what we do not know is dropped, whatever it holds. */
export function requireStorable<T>(body: T): T {
  if (isStorable(body)) return body;
  throw malformed('must not hold a NUL or half of a surrogate pair');
}

function malformed(msg: string): Fault {
  return invalidRequest([{ loc: ['body'], msg, type: 'json_invalid', input: null, ctx: {} }]);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
