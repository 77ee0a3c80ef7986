import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { S3Error } from './s3-error.ts';

/** A request in path style: `/bucket/key?query`. Nothing of it is trusted yet. */
export interface S3Request {
  readonly method: string;
  readonly bucket: string;
  readonly key: string;
  /** Decoded once, with the leading slash. */
  readonly path: string;
  /** By lower-case name: the SDK hoists headers into the query in either case. */
  readonly query: ReadonlyMap<string, QueryParameter>;
  readonly headers: IncomingHttpHeaders;
  readonly headersDistinct: NodeJS.Dict<string[]>;
}

export interface QueryParameter {
  readonly name: string;
  readonly value: string;
}

/** S3's own limit. */
const keyBytesMax = 1024;

export function parseRequest(message: IncomingMessage): S3Request {
  const target = message.url ?? '';
  if (!target.startsWith('/')) throw new S3Error('InvalidURI', 'The target must be a path.');
  const queryStart = target.indexOf('?');
  const rawPath = queryStart < 0 ? target : target.slice(0, queryStart);
  const [, rawBucket = '', ...rawKey] = rawPath.split('/');
  const key = percentDecode(rawKey.join('/'));
  if (Buffer.byteLength(key) > keyBytesMax) {
    throw new S3Error('KeyTooLongError', `A key has at most ${keyBytesMax} bytes.`);
  }
  return {
    method: message.method ?? '',
    bucket: percentDecode(rawBucket),
    key,
    path: percentDecode(rawPath),
    query: parseQuery(queryStart < 0 ? '' : target.slice(queryStart + 1)),
    headers: message.headers,
    headersDistinct: message.headersDistinct,
  };
}

/** Twice the same name could be read differently by the check and by the use: refused. */
function parseQuery(text: string): Map<string, QueryParameter> {
  const parameters = new Map<string, QueryParameter>();
  for (const pair of text.split('&').filter((part) => part !== '')) {
    const split = pair.indexOf('=');
    const name = percentDecode(split < 0 ? pair : pair.slice(0, split));
    if (parameters.has(name.toLowerCase())) {
      throw new S3Error('InvalidArgument', 'A query parameter is given twice.');
    }
    const value = split < 0 ? '' : percentDecode(pair.slice(split + 1));
    parameters.set(name.toLowerCase(), { name, value });
  }
  return parameters;
}

function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new S3Error('InvalidURI', 'The target is not percent-encoded UTF-8.');
  }
}

/** A header of S3, or the same hoisted into a presigned query. */
export function headerOrQuery(request: S3Request, name: string): string | undefined {
  const header = request.headers[name];
  return typeof header === 'string' ? header : request.query.get(name)?.value;
}
