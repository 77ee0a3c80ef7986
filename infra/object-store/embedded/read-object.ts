import type { BlobRecord } from './blob-record.ts';
import { readByteRange } from './byte-range.ts';
import type { Exchange, S3Response } from './exchange.ts';
import { S3Error } from './s3-error.ts';
import { headerOrQuery, type S3Request } from './s3-request.ts';

/** GET and HEAD: the same head, the latter without the bytes. */
export async function readObject({ request, files }: Exchange): Promise<S3Response> {
  const blob = await files.find(request.bucket, request.key);
  if (blob === undefined) throw new S3Error('NoSuchKey', 'The key does not exist.');
  const { file, record } = blob;
  let streaming = false;
  try {
    const range = readByteRange(request.headers.range, record.sizeBytes);
    const { first, last } = range ?? { first: 0, last: record.sizeBytes - 1 };
    const wantsChecksum = headerOrQuery(request, 'x-amz-checksum-mode') === 'ENABLED';
    const headers = {
      ...headersOf(record),
      ...namedBy(request),
      'content-length': String(last - first + 1),
      ...(range !== undefined && { 'content-range': `bytes ${first}-${last}/${record.sizeBytes}` }),
      // Of the whole object, so it says nothing of a part.
      ...(wantsChecksum && range === undefined && { 'x-amz-checksum-sha256': record.sha256Base64 }),
    };
    const status = range === undefined ? 200 : 206;
    // An empty range cannot be said to a stream, whose end is included.
    if (request.method === 'HEAD' || record.sizeBytes === 0) return { status, headers };
    streaming = true;
    return { status, headers, body: file.createReadStream({ start: first, end: last }) };
  } finally {
    if (!streaming) await file.close();
  }
}

function headersOf(record: BlobRecord): Record<string, string> {
  return {
    'accept-ranges': 'bytes',
    'content-type': record.contentType,
    etag: `"${record.md5Hex}"`,
    'last-modified': new Date(record.modifiedAtMs).toUTCString(),
  };
}

/** What the signature says the object is to be answered as. */
function namedBy({ query }: S3Request): Record<string, string> {
  const named: Record<string, string> = {};
  for (const header of ['content-type', 'content-disposition']) {
    const value = query.get(`response-${header}`)?.value;
    if (value === undefined) continue;
    if (!/^[\x20-\x7e]+$/.test(value)) {
      throw new S3Error('InvalidArgument', 'The value cannot stand in a header.');
    }
    named[header] = value;
  }
  return named;
}
