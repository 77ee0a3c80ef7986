import { createHash } from 'node:crypto';
import type { S3Request } from './s3-request.ts';

/** What both sides of Signature Version 4 hash: the request without what may change on its way. */
export function canonicalRequest(
  request: S3Request,
  signedHeaders: readonly string[],
  payloadHash: string,
): string {
  return [
    request.method,
    request.path.split('/').map(uriEncode).join('/'),
    canonicalQuery(request),
    ...signedHeaders.map((name) => `${name}:${canonicalHeader(request, name)}`),
    '',
    signedHeaders.join(';'),
    payloadHash,
  ].join('\n');
}

export function sha256HexOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function canonicalQuery(request: S3Request): string {
  return [...request.query.values()]
    .filter(({ name }) => name !== 'X-Amz-Signature')
    .map(({ name, value }) => [uriEncode(name), uriEncode(value)] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function canonicalHeader(request: S3Request, name: string): string {
  return (request.headersDistinct[name] ?? [])
    .map((value) => value.trim().replace(/[ \t]+/g, ' '))
    .join(',');
}

/** RFC 3986: only unreserved characters stay as they are. */
function uriEncode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
