import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { PassThrough, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';

export interface ArchiveWriter {
  addText(path: string, text: string): Promise<void>;
  addStream(path: string, sizeBytes: number, content: AsyncIterable<Uint8Array>): Promise<void>;
}

export interface WrittenArchive {
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** Nothing of the machine or the moment: the same files give the same bytes. */
const plainHeader = { mode: 0o644, uid: 0, gid: 0, mtime: new Date(0), type: 'file' } as const;

/** Writes a gzip tar to `targetPath` from what `fill` adds, streaming. */
export async function writeArchive(
  targetPath: string,
  fill: (writer: ArchiveWriter) => Promise<void>,
): Promise<WrittenArchive> {
  const archive = pack();
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      sizeBytes += chunk.length;
      done(null, chunk);
    },
  });
  // Node's stream in between: the tar packer is no stream of Node's own.
  const tar = archive.pipe(new PassThrough());
  archive.once('error', (error) => tar.destroy(error));
  const written = pipeline(tar, createGzip({ level: 6 }), measure, createWriteStream(targetPath));
  const filled = fill(writerOf(archive)).then(
    () => archive.finalize(),
    (error: unknown) => {
      archive.destroy(error instanceof Error ? error : new Error(String(error)));
      throw error;
    },
  );
  // The end that was first is told by `written`: of what is written, or of what fills, which ends it too.
  await Promise.allSettled([written, filled]);
  await written;
  await filled;
  return { sha256: hash.digest('hex'), sizeBytes };
}

function writerOf(archive: ReturnType<typeof pack>): ArchiveWriter {
  return {
    addText: (path, text) =>
      new Promise((resolve, reject) => {
        const header = { ...plainHeader, name: path };
        archive.entry(header, text, (error) => (error ? reject(error) : resolve()));
      }),
    addStream: (path, sizeBytes, content) =>
      new Promise((resolve, reject) => {
        const header = { ...plainHeader, name: path, size: sizeBytes };
        const entry = archive.entry(header, (error) => (error ? reject(error) : resolve()));
        // It says so as well when the archive ends under it: unheard, that would end the process.
        entry.on('error', reject);
        feed(entry, content).catch(reject);
      }),
  };
}

/** Waits for the archive whenever it is full, so that a large file is never in memory whole. */
async function feed(
  entry: ReturnType<ReturnType<typeof pack>['entry']>,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  for await (const chunk of content) {
    if (entry.write(chunk)) continue;
    await new Promise<void>((resolve) => {
      entry.once('drain', () => resolve());
    });
  }
  entry.end(null);
}
