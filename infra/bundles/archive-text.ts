import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { scratchFor } from '../local/scratch-folder.ts';
import type { ArchivedText, ArchiveText } from '../ports/text-archive.ts';

/**
 * Gzip without a time stamp: the same text gives the same bytes, hence the same name. Below `scratch` lies
 * what is not disposed of yet.
 */
export function createTextArchive(scratch: string): ArchiveText {
  return (pieces) => archiveText(pieces, scratch);
}

async function archiveText(pieces: AsyncIterable<string>, scratch: string): Promise<ArchivedText> {
  const folder = await scratchFor(scratch, 'bundle-');
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'bundle.json.gz');
    const digest = new Digest();
    await pipeline(Readable.from(pieces), createGzip(), digest, createWriteStream(path));
    const { sha256, sizeBytes } = digest;
    return { path, sha256, sizeBytes, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Lets bytes pass and keeps their hash. */
class Digest extends Transform {
  readonly #hash = createHash('sha256');
  sizeBytes = 0;

  get sha256(): string {
    return this.#hash.digest('hex');
  }

  override _transform(
    chunk: Buffer,
    _encoding: BufferEncoding,
    done: (error: null, chunk: Buffer) => void,
  ): void {
    this.#hash.update(chunk);
    this.sizeBytes += chunk.length;
    done(null, chunk);
  }
}
