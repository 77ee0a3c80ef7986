import { isAscii } from 'node:buffer';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Coding } from './content-coding.ts';
import { entityTagOf, entityTagOfHash } from './entity-tag.ts';

const asGzip = promisify(gzip);
const asBrotli = promisify(brotliCompress);

/** Below, compressing saves less than a packet. */
const worthBytesMin = 1024;
/** Above, it would hold a thread for seconds. */
const worthBytesMax = 20 * 1024 * 1024;

const shortBytesMax = 16 * 1024;

/** How hard to compress what is sent for a moment, and what is kept and sent for days. */
const levels = { passing: { gzip: 6, br: 4 }, kept: { gzip: 9, br: 9 } } as const;

/** What a public read answers: tagged once, and compressed once in each coding. */
export class Representation {
  /** As text where it is short and ASCII: that leaves in one piece with the head of its answer. */
  readonly content: Buffer | string;
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes as they were given: who keeps this keeps those, too, by which it is found. */
  readonly given: Uint8Array | undefined;
  readonly #levels: (typeof levels)[keyof typeof levels];
  readonly #compressed = new Map<Coding, Promise<Buffer> | WeakRef<Buffer>>();
  #areFormsKept: boolean;
  #tag: string | undefined;

  constructor(given: {
    readonly content: Uint8Array | string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly isKept?: boolean;
    /** Of the content, where it is known. */
    readonly sha256?: string | undefined;
  }) {
    this.content = typeof given.content === 'string' ? ofText(given.content) : of(given.content);
    const areKept = typeof given.content !== 'string' && typeof this.content !== 'string';
    this.given = areKept ? given.content : undefined;
    this.headers = given.headers ?? {};
    this.#tag = given.sha256 && entityTagOfHash(given.sha256);
    this.#areFormsKept = given.isKept === true;
    this.#levels = given.isKept === true ? levels.kept : levels.passing;
  }

  /**
   * Its compressed forms are there for as long as it is: for whoever bounds how many of these there are. Else a form
   * is there while somebody reads that very one, for only that is counted (`LargeAnswers`).
   */
  keepForms(): void {
    this.#areFormsKept = true;
  }

  /** Of text a character is a byte. */
  get byteLength(): number {
    return this.content.length;
  }

  get tag(): string {
    this.#tag ??= entityTagOf(this.content);
    return this.#tag;
  }

  hasContentOf({ content }: Representation): boolean {
    if (typeof content === 'string' || typeof this.content === 'string')
      return content === this.content;
    return content.equals(this.content);
  }

  get isWorthCompressing(): boolean {
    return this.byteLength >= worthBytesMin && this.byteLength <= worthBytesMax;
  }

  /** On a thread of zlib's: no other request waits for it. */
  in(coding: Exclude<Coding, 'identity'>): Promise<Buffer> {
    const known = this.#compressed.get(coding);
    const form = known instanceof WeakRef ? known.deref() : known;
    if (form !== undefined) return Promise.resolve(form);
    const compressed = coding === 'gzip' ? this.#gzip() : this.#brotli();
    this.#compressed.set(coding, compressed);
    if (!this.#areFormsKept) void this.#letGo(coding, compressed);
    return compressed;
  }

  async #letGo(coding: Coding, compressed: Promise<Buffer>): Promise<void> {
    try {
      this.#compressed.set(coding, new WeakRef(await compressed));
    } catch {
      // Whoever asked hears of it.
    }
  }

  #gzip(): Promise<Buffer> {
    return asGzip(this.content, { level: this.#levels.gzip });
  }

  #brotli(): Promise<Buffer> {
    const { BROTLI_PARAM_MODE, BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
    const params = {
      [BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [BROTLI_PARAM_QUALITY]: this.#levels.br,
      [BROTLI_PARAM_SIZE_HINT]: this.byteLength,
    };
    return asBrotli(this.content, { params });
  }
}

function ofText(text: string): Buffer | string {
  const isAsciiText = Buffer.byteLength(text) === text.length;
  return isAsciiText && text.length <= shortBytesMax ? text : Buffer.from(text);
}

function of(content: Uint8Array): Buffer | string {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  return bytes.length <= shortBytesMax && isAscii(bytes) ? bytes.toString('latin1') : bytes;
}
