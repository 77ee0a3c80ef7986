import { S3Error } from './s3-error.ts';

/** A chunk header, or a trailer of one checksum, is far shorter. */
const lineBytesMax = 1024;
const trailersMax = 8;

/**
 * Takes the framing off a body with `Content-Encoding: aws-chunked`: `size CRLF bytes CRLF`, a chunk
 * of size 0, then trailers, which are handed to `onTrailer` before the last bytes are over.
 */
export async function* decodeAwsChunked(
  source: AsyncIterable<Uint8Array>,
  onTrailer: (name: string, value: string) => void,
): AsyncGenerator<Uint8Array> {
  const input = new FramedInput(source);
  try {
    yield* readChunks(input);
    await readTrailers(input, onTrailer);
  } finally {
    await input.release();
  }
}

async function* readChunks(input: FramedInput): AsyncGenerator<Uint8Array> {
  for (;;) {
    let remaining = parseChunkSize(await input.line());
    if (remaining === 0) return;
    while (remaining > 0) {
      const bytes = await input.take(remaining);
      remaining -= bytes.length;
      yield bytes;
    }
    if ((await input.line()) !== '') throw malformed();
  }
}

async function readTrailers(
  input: FramedInput,
  onTrailer: (name: string, value: string) => void,
): Promise<void> {
  for (let count = 0; count <= trailersMax; count += 1) {
    const line = await input.line({ endAllowed: true });
    if (line === '') return await input.requireEnd();
    const colon = line.indexOf(':');
    if (colon < 1) throw malformed();
    onTrailer(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  throw malformed();
}

/** Signed chunks carry `;chunk-signature=`, which is refused long before. */
function parseChunkSize(line: string): number {
  if (!/^[0-9a-fA-F]{1,10}$/.test(line)) throw malformed();
  return Number.parseInt(line, 16);
}

/** Bytes that arrive in pieces of any size, read by line and by count. */
class FramedInput {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Up to `countMax` bytes, at least one. */
  async take(countMax: number): Promise<Uint8Array> {
    if (this.#rest.length === 0 && !(await this.#more())) throw malformed();
    const taken = this.#rest.subarray(0, countMax);
    this.#rest = this.#rest.subarray(taken.length);
    return taken;
  }

  /** The text before the next CRLF. Where the end is allowed, it reads as an empty line. */
  async line(options: { endAllowed?: boolean } = {}): Promise<string> {
    for (;;) {
      const end = Buffer.from(this.#rest.buffer, this.#rest.byteOffset, this.#rest.length).indexOf(
        '\r\n',
      );
      if (end > lineBytesMax || (end < 0 && this.#rest.length > lineBytesMax)) throw malformed();
      if (end >= 0) {
        const text = Buffer.from(this.#rest.subarray(0, end)).toString('latin1');
        this.#rest = this.#rest.subarray(end + 2);
        return text;
      }
      if (await this.#more()) continue;
      if (options.endAllowed === true && this.#rest.length === 0) return '';
      throw malformed();
    }
  }

  async requireEnd(): Promise<void> {
    if (this.#rest.length > 0 || (await this.#more())) throw malformed();
  }

  /** Lets go of the source, which somebody else may want to drain. */
  async release(): Promise<void> {
    await this.#source.return?.();
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#source.next();
    if (done === true) return false;
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
    return true;
  }
}

function malformed(): S3Error {
  return new S3Error('IncompleteBody', 'The aws-chunked framing of the body is broken.');
}
