import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { scratchFor } from '../../../infra/local/scratch-folder.ts';
import type { Fault } from '../../../machines/fault.ts';
import { refusal } from '../../../machines/refusal.ts';
import type { RequestContext } from '../endpoint.ts';
import { ClientGone } from '../middleware/json-body.ts';
import { invalidField } from '../validation.ts';

/** A body on disk, for as long as it is in use. */
export interface ReceivedFile extends AsyncDisposable {
  readonly path: string;
  readonly sha256: string;
  readonly sizeBytes: number;
}

interface Accept {
  readonly mediaTypes: readonly string[];
  readonly bytesMax: number;
  /** Where the file lies meanwhile. */
  readonly scratch: string;
}

/** Streams the raw body into a temporary file, hashing on the way; memory stays small. */
export async function receiveFile(context: RequestContext, accept: Accept): Promise<ReceivedFile> {
  const { stream } = context;
  const [type = ''] = (context.headers['content-type'] ?? '').toLowerCase().split(';');
  if (!accept.mediaTypes.includes(type.trim())) {
    throw refusal('UNSUPPORTED_MEDIA_TYPE', {
      says: `The body must be ${accept.mediaTypes[0]}.`,
      next: 'Send it with that Content-Type.',
    });
  }
  if (Number(context.headers['content-length'] ?? 0) > accept.bytesMax) throw tooLarge(accept);
  const folder = await scratchFor(accept.scratch, 'upload-');
  const remove = () => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'body');
  const meter = metered(accept);
  try {
    await pipeline(stream, meter.through, createWriteStream(path), { signal: context.signal });
    return { path, ...meter.result(), [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw context.signal.aborted ? new ClientGone() : error;
  }
}

/** What is let run into nothing beyond the bound, so that the client still reads its answer. */
const discardedBytesMax = 32 * 1024 * 1024;

function metered(accept: { readonly bytesMax: number }) {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const through = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sizeBytes += chunk.length;
      if (sizeBytes > accept.bytesMax + discardedBytesMax) return done(tooLarge(accept));
      if (sizeBytes > accept.bytesMax) return done();
      hash.update(chunk);
      done(null, chunk);
    },
  });
  const result = () => {
    if (sizeBytes > accept.bytesMax) throw tooLarge(accept);
    return { sha256: hash.digest('hex'), sizeBytes };
  };
  return { through, result };
}

function tooLarge({ bytesMax }: { readonly bytesMax: number }): Fault {
  return invalidField(['body'], `may hold at most ${bytesMax} bytes`, 'too_big');
}
