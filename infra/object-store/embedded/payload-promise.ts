import type { Exchange } from './exchange.ts';
import type { DigestAlgorithm, PayloadDigests } from './payload-digests.ts';
import { checksumAlgorithms } from './payload-digests.ts';
import { S3Error } from './s3-error.ts';
import type { S3Request } from './s3-request.ts';
import { headerOrQuery } from './s3-request.ts';

/** What a request promises of its body; kept or the object is not stored. */
export interface PayloadPromise {
  readonly sizeBytes: number;
  readonly awsChunked: boolean;
  /** Lower-case hex, when the body is under the signature. */
  readonly sha256Hex: string | undefined;
  /** In base64, from headers and from the presigned query: all of them hold. */
  readonly checksums: readonly Checksum[];
  /** Checksums that come behind an aws-chunked body. */
  readonly trailers: readonly DigestAlgorithm[];
}

export interface Checksum {
  readonly algorithm: DigestAlgorithm;
  readonly base64: string;
}

/** S3's own limit for one PUT. */
export const objectBytesMax = 5 * 1024 ** 3;
const prefix = 'x-amz-checksum-';

export function readPayloadPromise(
  request: S3Request,
  { payloadHash, ignoresQueryChecksums }: Pick<Exchange, 'ignoresQueryChecksums' | 'payloadHash'>,
): PayloadPromise {
  const awsChunked = payloadHash === 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
  if (!awsChunked && payloadHash.startsWith('STREAMING-')) {
    throw new S3Error('NotImplemented', 'Signed chunks are not supported.');
  }
  const hashed = !awsChunked && payloadHash !== 'UNSIGNED-PAYLOAD';
  if (hashed && !/^[0-9a-f]{64}$/.test(payloadHash)) {
    throw new S3Error('InvalidArgument', 'x-amz-content-sha256 is malformed.');
  }
  return {
    sizeBytes: readSize(request, awsChunked),
    awsChunked,
    sha256Hex: hashed ? payloadHash : undefined,
    checksums: readChecksums(request, ignoresQueryChecksums),
    trailers: awsChunked ? readTrailerNames(request) : [],
  };
}

function readSize(request: S3Request, awsChunked: boolean): number {
  const header = awsChunked ? 'x-amz-decoded-content-length' : 'content-length';
  const text = request.headers[header];
  if (typeof text !== 'string' || !/^\d{1,15}$/.test(text)) {
    throw new S3Error('MissingContentLength', `${header} is required.`);
  }
  if (Number(text) > objectBytesMax) {
    throw new S3Error('EntityTooLarge', `An object has at most ${objectBytesMax} bytes.`);
  }
  return Number(text);
}

function readChecksums(request: S3Request, isQueryIgnored: boolean): readonly Checksum[] {
  const names = new Set([...Object.keys(request.headers), ...request.query.keys()]);
  const checksums = [...names]
    .filter((name) => name.startsWith(prefix) && !name.endsWith('-type'))
    .flatMap((name) => {
      const algorithm = algorithmOf(name);
      // Either place may promise one; where both do, both promises hold.
      const queried = isQueryIgnored ? undefined : request.query.get(name)?.value;
      const values = [request.headers[name], queried];
      return values.flatMap((base64) =>
        typeof base64 === 'string' ? [{ algorithm, base64 }] : [],
      );
    });
  const md5 = headerOrQuery(request, 'content-md5');
  return md5 === undefined ? checksums : [...checksums, { algorithm: 'md5', base64: md5 }];
}

function readTrailerNames(request: S3Request): readonly DigestAlgorithm[] {
  const names = request.headers['x-amz-trailer'];
  return typeof names === 'string' ? names.split(',').map((name) => algorithmOf(name.trim())) : [];
}

export function algorithmOf(headerName: string): DigestAlgorithm {
  const algorithm = checksumAlgorithms.find((name) => headerName.toLowerCase() === prefix + name);
  if (algorithm === undefined) {
    throw new S3Error('NotImplemented', `The checksum ${headerName} is not supported.`);
  }
  return algorithm;
}

/** Throws unless the bytes that came are the bytes that were promised. */
export function requireKept(
  promise: PayloadPromise,
  digests: PayloadDigests,
  trailers: readonly Checksum[],
): void {
  const { sha256Hex } = promise;
  if (sha256Hex !== undefined && digests.digest('sha256').toString('hex') !== sha256Hex) {
    throw new S3Error('XAmzContentSHA256Mismatch', 'The body is not the one that was signed.');
  }
  for (const algorithm of promise.trailers) {
    if (trailers.every((trailer) => trailer.algorithm !== algorithm)) {
      throw new S3Error('IncompleteBody', `The announced trailer ${algorithm} did not come.`);
    }
  }
  for (const { algorithm, base64 } of [...promise.checksums, ...trailers]) {
    requireDigest(algorithm, base64, digests.digest(algorithm));
  }
}

function requireDigest(algorithm: DigestAlgorithm, base64: string, actual: Buffer): void {
  const expected = Buffer.from(base64, 'base64');
  if (expected.length !== actual.length || expected.toString('base64') !== base64) {
    throw new S3Error('InvalidDigest', `The ${algorithm} given is malformed.`);
  }
  if (!expected.equals(actual)) {
    throw new S3Error('BadDigest', `The ${algorithm} given is not that of the body.`);
  }
}
