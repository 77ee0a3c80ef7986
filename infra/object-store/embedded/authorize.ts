import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalRequest, sha256HexOf } from './canonical-request.ts';
import { S3Error } from './s3-error.ts';
import type { S3Request } from './s3-request.ts';
import type { SignatureClaim } from './signature-claim.ts';
import { readSignatureClaim } from './signature-claim.ts';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** S3's own tolerance between the clocks of client and server. */
const skewMsMax = 15 * 60_000;

/**
 * Signature Version 4, in headers or in the query. Answers what the signature says of the body: its
 * SHA-256 in hex, or one of S3's words for bodies that are not signed.
 *
 * 1. Host and every `x-amz-` header are under the signature, so nobody can add a meaning to a URL.
 * 2. The signature is compared before the time is: a forger learns nothing about either.
 */
export function authorize(request: S3Request, credentials: Credentials, nowMs: number): string {
  const claim = readSignatureClaim(request);
  if (!sameText(claim.accessKeyId, credentials.accessKeyId)) {
    throw new S3Error('InvalidAccessKeyId', 'The access key is not known here.');
  }
  requireSignedHeaders(request, claim);
  if (!sameText(claim.signature, expectedSignature(request, claim, credentials))) {
    throw new S3Error('SignatureDoesNotMatch', 'The signature is not that of this request.');
  }
  requireTime(claim, nowMs);
  return claim.payloadHash;
}

function requireSignedHeaders(request: S3Request, claim: SignatureClaim): void {
  const signed = new Set(claim.signedHeaders);
  const missing = Object.keys(request.headers).filter(
    (name) => (name === 'host' || name.startsWith('x-amz-')) && !signed.has(name),
  );
  if (!signed.has('host') || missing.length > 0) {
    throw new S3Error('AccessDenied', `Headers are present that were not signed: ${missing}`);
  }
}

function expectedSignature(
  request: S3Request,
  claim: SignatureClaim,
  credentials: Credentials,
): string {
  const canonical = canonicalRequest(request, claim.signedHeaders, claim.payloadHash);
  const text = `AWS4-HMAC-SHA256\n${claim.amzDate}\n${claim.scope}\n${sha256HexOf(canonical)}`;
  const key = [claim.scopeDate, claim.scopeRegion, 's3', 'aws4_request'].reduce<Buffer | string>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${credentials.secretAccessKey}`,
  );
  return createHmac('sha256', key).update(text).digest('hex');
}

/** In constant time for texts of one length; lengths are no secret. */
function sameText(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function requireTime(claim: SignatureClaim, nowMs: number): void {
  const signedAtMs = parseAmzDate(claim.amzDate);
  if (claim.expiresInSeconds === undefined) {
    if (!(Math.abs(nowMs - signedAtMs) <= skewMsMax)) {
      throw new S3Error('RequestTimeTooSkewed', 'The request was signed at another time.');
    }
    return;
  }
  if (!(signedAtMs - nowMs <= skewMsMax)) {
    throw new S3Error('AccessDenied', 'The URL is not valid yet.');
  }
  if (nowMs > signedAtMs + claim.expiresInSeconds * 1000) {
    throw new S3Error('AccessDenied', 'The URL has expired.');
  }
}

/** Unix milliseconds; NaN for anything else, which passes no comparison above. */
function parseAmzDate(text: string): number {
  const fields = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  const [year = Number.NaN, month = 0, day = 0, hour = 0, minute = 0, second = 0] =
    fields?.slice(1).map(Number) ?? [];
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
