import { createHash, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { scratchFor } from '../local/scratch-folder.ts';

interface Spooled extends AsyncDisposable {
  readonly path: string;
  readonly sha256: string;
}

/**
 * A body as a file of its own below `scratch`, which goes when it is disposed of. The body is this function's
 * from the call on: it is read to its end or destroyed, also where there is no room for a folder.
 */
export async function spool(body: Readable, scratch: string): Promise<Spooled> {
  // It may break before the pipeline listens, which tells of it all the same: unheard, that would end the process.
  body.on('error', () => undefined);
  const folder = await scratchFor(scratch, 'object-').catch((error: unknown) => {
    body.destroy();
    throw error;
  });
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'object');
    const hash = createHash('sha256');
    await pipeline(body, (source) => hashed(source, hash), createWriteStream(path));
    return { path, sha256: hash.digest('hex'), [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function* hashed(source: AsyncIterable<Uint8Array>, hash: Hash) {
  for await (const bytes of source) {
    hash.update(bytes);
    yield bytes;
  }
}
