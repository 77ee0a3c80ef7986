import { AssertionError } from 'node:assert';
import { createReadStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type Extract, extract } from 'tar-stream';
import { rootFolder } from './pack-format.ts';
import { PackInvalid } from './pack-invalid.ts';

/** One file of the archive, as the parser hands it out: its header and a stream of its bytes. */
type Entry = Extract extends AsyncIterable<infer Source> ? Source : never;

export interface ArchiveLimits {
  /** The whole archive, unpacked; 4 GiB by contract. */
  readonly unpackedBytesMax: number;
  readonly filesMax: number;
  /** Of the files that are read into memory. */
  readonly textBytesMax: number;
}

export const defaultLimits: ArchiveLimits = {
  unpackedBytesMax: 4 * 1024 ** 3,
  filesMax: 100_000,
  textBytesMax: 64 * 1024 ** 2,
};

export interface ArchiveFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** To be read whole before the next file comes. */
  readonly stream: AsyncIterable<Uint8Array>;
  text(): Promise<string>;
}

/**
 * Hands every file of a gzip tar to `visit`, in order, streaming. Refuses what a pack may not hold:
 * links, devices, other roots, ways out of the root, names twice, and more than the limits, which
 * are counted on what really came out and not on what the headers promise.
 */
export async function visitArchive(
  path: string,
  visit: (file: ArchiveFile) => Promise<void>,
  limits: ArchiveLimits = defaultLimits,
): Promise<void> {
  const archive = extract();
  // What the pipeline says of a broken archive is told by the loop below, which ends with it.
  const guard = limitUnpacked(limits.unpackedBytesMax);
  const feeding = pipeline(createReadStream(path), createGunzip(), guard, archive);
  feeding.catch(() => undefined);
  const budget = { files: 0, bytes: 0, seen: new Set<string>(), limits };
  try {
    for await (const entry of archive) await visitEntry(entry, visit, budget);
    await feeding;
  } catch (error) {
    archive.destroy();
    if (guard.errored instanceof PackInvalid) throw guard.errored;
    if (error instanceof PackInvalid || !isArchiveDefect(error)) throw error;
    throw new PackInvalid('the archive is not a whole gzip tar', { cause: error });
  }
}

/** Headers, padding and what stands behind the archive's end count too: a bomb may be all of that. */
function limitUnpacked(bytesMax: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > bytesMax) done(tooLarge(bytesMax));
      else done(null, chunk);
    },
  });
}

function tooLarge(bytesMax: number): PackInvalid {
  return new PackInvalid(`the pack unpacks to more than ${bytesMax} bytes`);
}

interface Budget {
  files: number;
  bytes: number;
  readonly seen: Set<string>;
  readonly limits: ArchiveLimits;
}

async function visitEntry(
  entry: Entry,
  visit: (file: ArchiveFile) => Promise<void>,
  budget: Budget,
): Promise<void> {
  const { name, type, size: sizeBytes = 0 } = entry.header;
  requireInside(name);
  if (type === 'directory') {
    entry.resume();
    return;
  }
  if (type !== 'file' && type !== 'contiguous-file') {
    throw new PackInvalid(`${name} is a ${type ?? 'special file'}; a pack holds files only`);
  }
  if (name === rootFolder) throw new PackInvalid(`${rootFolder} must be a folder, not a file`);
  requireWithin(name, sizeBytes, budget);
  let isTaken = false;
  async function* take(): AsyncGenerator<Uint8Array> {
    isTaken = true;
    // The parser's stream types its chunks loosely; a tar entry gives bytes.
    for await (const chunk of entry) yield chunk as Uint8Array;
  }
  await visit({
    path: name,
    sizeBytes,
    stream: { [Symbol.asyncIterator]: take },
    text: () => readText(take(), { name, sizeBytes, limits: budget.limits }),
  });
  // The next header stands behind what nobody wanted.
  if (!isTaken) entry.resume();
}

function requireWithin(name: string, sizeBytes: number, budget: Budget): void {
  if (budget.seen.has(name)) throw new PackInvalid(`the archive holds ${name} twice`);
  budget.seen.add(name);
  budget.files += 1;
  budget.bytes += sizeBytes;
  const { filesMax, unpackedBytesMax } = budget.limits;
  if (budget.files > filesMax) throw new PackInvalid(`the pack holds more than ${filesMax} files`);
  // Refused by its header, before anything is unpacked for nothing.
  if (budget.bytes > unpackedBytesMax) throw tooLarge(unpackedBytesMax);
}

function requireInside(name: string): void {
  const parts = name.replace(/\/$/, '').split('/');
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..');
  if (!isPlain || parts[0] !== rootFolder || /[\\\0]/.test(name)) {
    throw new PackInvalid(`${name} does not lie in the folder ${rootFolder}/`);
  }
}

async function readText(
  content: AsyncIterable<Uint8Array>,
  about: { name: string; sizeBytes: number; limits: ArchiveLimits },
): Promise<string> {
  if (about.sizeBytes > about.limits.textBytesMax) {
    throw new PackInvalid(`${about.name} has more than ${about.limits.textBytesMax} bytes`);
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new PackInvalid(`${about.name} is not UTF-8`);
  }
}

/** Errors of the file system and of our own are ours; what zlib and the tar parser say is not. */
function isArchiveDefect(error: unknown): boolean {
  if (error instanceof AssertionError) return false;
  const code = (error as NodeJS.ErrnoException).code;
  return code === undefined || !/^E[A-Z]+$/.test(code);
}
