import { decodeAwsChunked } from './aws-chunked.ts';
import type { IncomingBlob } from './blob-files.ts';
import type { BlobRecord } from './blob-record.ts';
import type { Exchange, S3Response } from './exchange.ts';
import { PayloadDigests } from './payload-digests.ts';
import type { Checksum, PayloadPromise } from './payload-promise.ts';
import { algorithmOf, readPayloadPromise, requireKept } from './payload-promise.ts';
import { S3Error } from './s3-error.ts';

/**
 * As S3 has it: the last one who puts wins, presigned or not, unless the request itself says
 * `If-None-Match: *`.
 */
export async function putObject(exchange: Exchange): Promise<S3Response> {
  const { request, files } = exchange;
  const promise = readPayloadPromise(request, exchange);
  const onlyIfAbsent = readCondition(exchange);
  // Saves the transfer; what decides is the publishing below.
  if (onlyIfAbsent && (await files.has(request.bucket, request.key))) throw exists();
  await using blob = await files.receive();
  const { digests, trailers } = await receiveBody(exchange, promise, blob);
  requireKept(promise, digests, trailers);
  const md5Hex = digests.digest('md5').toString('hex');
  const record: BlobRecord = {
    key: request.key,
    sizeBytes: promise.sizeBytes,
    contentType: request.headers['content-type'] ?? 'application/octet-stream',
    md5Hex,
    sha256Base64: digests.digest('sha256').toString('base64'),
    modifiedAtMs: exchange.clock.nowMs(),
  };
  if (!(await blob.publish({ bucket: request.bucket, onlyIfAbsent }, record))) throw exists();
  return { status: 200, headers: { etag: `"${md5Hex}"` } };
}

async function receiveBody(exchange: Exchange, promise: PayloadPromise, blob: IncomingBlob) {
  const algorithms = [...promise.checksums.map(({ algorithm }) => algorithm), ...promise.trailers];
  const digests = new PayloadDigests(algorithms);
  const trailers: Checksum[] = [];
  const body = promise.awsChunked
    ? decodeAwsChunked(exchange.body(), (name, base64) => {
        trailers.push({ algorithm: announced(promise, name), base64 });
      })
    : exchange.body();
  let sizeBytes = 0;
  for await (const bytes of body) {
    sizeBytes += bytes.length;
    if (sizeBytes > promise.sizeBytes) break;
    digests.update(bytes);
    await blob.write(bytes);
  }
  if (sizeBytes !== promise.sizeBytes) {
    throw new S3Error('IncompleteBody', 'The body has another length than was said.');
  }
  return { digests, trailers };
}

function announced(promise: PayloadPromise, name: string) {
  const algorithm = algorithmOf(name);
  if (promise.trailers.includes(algorithm)) return algorithm;
  throw new S3Error('InvalidRequest', `The trailer ${algorithm} was not announced.`);
}

function readCondition({ request }: Exchange): boolean {
  const condition = request.headers['if-none-match'];
  if (condition === undefined && request.headers['if-match'] === undefined) return false;
  if (condition === '*') return true;
  throw new S3Error('NotImplemented', 'The only condition on a PUT is If-None-Match: *.');
}

function exists(): S3Error {
  return new S3Error('PreconditionFailed', 'The key exists.');
}
