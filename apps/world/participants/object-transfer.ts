import { sha256Hex } from '../../../infra/ids/ids.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import { exchange } from './http-exchange.ts';
import { untilAnswered } from './retry.ts';

/** Downloads what a presigned URL stands for and checks that it is what was announced. */
export async function download(
  clock: Clock,
  url: string,
  expected: { readonly sha256: string; readonly sizeBytes?: number },
): Promise<Uint8Array> {
  const { status, body } = await untilAnswered(clock, () => exchange({ method: 'GET', url }));
  if (status !== 200) throw new Error(`a download was answered ${status}`);
  if (expected.sizeBytes !== undefined && body.length !== expected.sizeBytes) {
    throw new Error(`a download has ${body.length} bytes and not ${expected.sizeBytes}`);
  }
  if (sha256Hex(body) !== expected.sha256) throw new Error('a download has another SHA-256');
  return body;
}

/** A plain PUT with nothing but a content type, as presigned upload URLs promise to take. */
export async function upload(
  clock: Clock,
  url: string,
  file: { readonly bytes: Uint8Array; readonly contentType: string },
): Promise<void> {
  const headers = { 'content-type': file.contentType };
  const { status } = await untilAnswered(clock, () =>
    exchange({ method: 'PUT', url, headers, body: file.bytes }),
  );
  if (status !== 200) throw new Error(`an upload was answered ${status}`);
}
