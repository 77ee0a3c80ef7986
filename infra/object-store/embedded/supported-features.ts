import { S3Error } from './s3-error.ts';
import type { S3Request } from './s3-request.ts';

const headersKnown =
  /^x-amz-(date|content-sha256|decoded-content-length|trailer|user-agent|checksum-.+|sdk-checksum-algorithm)$/;
const signatureParameters =
  /^x-amz-(algorithm|credential|date|expires|signature|signedheaders|content-sha256|checksum-.+|sdk-checksum-algorithm|user-agent)$/;
const listParameters =
  /^(x-id|list-type|prefix|max-keys|continuation-token|start-after|encoding-type)$/;
const readParameters = /^response-content-(type|disposition)$/;

/**
 * Refuses what this server would otherwise silently leave out: copies, access lists, multipart,
 * encryption, metadata. An unknown word could change what a request means.
 */
export function requireSupported(request: S3Request): void {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const headers = Object.keys(request.headers).filter((name) => name.startsWith('x-amz-'));
  const unknown = [
    ...headers.filter((name) => !headersKnown.test(name)),
    ...[...request.query.keys()].filter(
      (name) =>
        !signatureParameters.test(name) &&
        !listParameters.test(name) &&
        !(isRead && readParameters.test(name)),
    ),
  ];
  if (unknown.length > 0) {
    throw new S3Error('NotImplemented', `Not supported here: ${unknown.join(', ')}`);
  }
}
