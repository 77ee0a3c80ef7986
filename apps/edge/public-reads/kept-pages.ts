interface Page {
  readonly version: string;
  readonly bytes: Buffer;
}

/** Compressed forms come on top, about as much again. */
const heldBytesMax = 64 * 1024 * 1024;

/**
 * Pages that are too large to be read and serialised for each client and of which everything that
 * can change is known beforehand: the version. The one whose last use is longest ago goes first.
 */
export class KeptPages {
  readonly #pages = new Map<string, Page>();
  readonly #heldBytesMax: number;
  #heldBytes = 0;

  constructor(bytesMax = heldBytesMax) {
    this.#heldBytesMax = bytesMax;
  }

  /** The same bytes object as long as `version` is the same. */
  async get(
    { key, version }: { readonly key: string; readonly version: string },
    build: () => Promise<unknown>,
  ): Promise<Buffer> {
    const kept = this.#pages.get(key);
    const isFresh = kept?.version === version;
    const page = isFresh ? kept : { version, bytes: Buffer.from(JSON.stringify(await build())) };
    this.#keep(key, page);
    return page.bytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  #keep(key: string, page: Page): void {
    this.#drop(key);
    if (page.bytes.length > this.#heldBytesMax) return;
    // A Map lists its keys in order of insertion, so the last used is last.
    this.#pages.set(key, page);
    this.#heldBytes += page.bytes.length;
    for (const [oldest] of this.#pages) {
      if (this.#heldBytes <= this.#heldBytesMax) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#heldBytes -= this.#pages.get(key)?.bytes.length ?? 0;
    this.#pages.delete(key);
  }
}
