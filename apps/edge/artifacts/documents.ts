import { isUtf8 } from 'node:buffer';
import { RecentMap } from '../../../infra/cache/recent-map.ts';
import type { ObjectStore } from '../../../infra/ports/object-store.ts';
import type { Fault } from '../../../machines/fault.ts';
import { refusal } from '../../../machines/refusal.ts';

/** How much of all documents may be read at once: an edge answers everybody else as well. */
const heldBytesMax = 128 * 1024 * 1024;
/** Of which is looked whether somebody still reads them. */
const lentMax = 256;

/** Reads stored JSON documents whole, as many at once as the memory of an edge allows. */
export class Documents {
  readonly #objects: Pick<ObjectStore, 'getStream' | 'size'>;
  readonly #bytesMax: number;
  /** What is read by somebody, or was a moment ago: who asks for the same meanwhile reads the same bytes. */
  readonly #lent = new RecentMap<string, WeakRef<Uint8Array>>(lentMax);
  #heldBytes = 0;

  constructor(objects: Pick<ObjectStore, 'getStream' | 'size'>, bytesMax: number) {
    this.#objects = objects;
    this.#bytesMax = bytesMax;
  }

  /** Undefined where there is none, or one that cannot be shown: too large, or not JSON. */
  async read(key: string): Promise<Uint8Array | undefined> {
    // Keys name what they hold by its hash.
    const lent = this.#lent.get(key)?.deref();
    if (lent !== undefined) return lent;
    const sizeBytes = await this.#objects.size(key);
    if (sizeBytes === undefined || sizeBytes > this.#bytesMax) return undefined;
    if (this.#heldBytes + sizeBytes > heldBytesMax) {
      throw refusal('OVERLOADED', { says: 'Too many documents are read at once.' });
    }
    this.#heldBytes += sizeBytes;
    try {
      const bytes = await this.#bytesOf(key, sizeBytes);
      if (bytes === undefined || !looksLikeJson(bytes)) return undefined;
      this.#lent.set(key, new WeakRef(bytes));
      return bytes;
    } finally {
      this.#heldBytes -= sizeBytes;
    }
  }

  /** Each piece goes to its place when it comes: put together at the end, 64 MiB would hold up all others. */
  async #bytesOf(key: string, sizeBytes: number): Promise<Uint8Array | undefined> {
    const pieces = await this.#objects.getStream(key);
    if (pieces === undefined) return undefined;
    const bytes = Buffer.allocUnsafe(sizeBytes);
    let arrived = 0;
    for await (const piece of pieces as AsyncIterable<Uint8Array>) {
      if (arrived + piece.length > sizeBytes) throw brokenOff();
      bytes.set(piece, arrived);
      arrived += piece.length;
    }
    if (arrived < sizeBytes) throw brokenOff();
    return bytes;
  }
}

function brokenOff(): Fault {
  return refusal('STORAGE_UNAVAILABLE', {
    says: 'The store gives another document than it told of.',
  });
}

/**
 * By its encoding and its first sign: an object or an array. Whether the rest is well-formed is for
 * the reader to see, since parsing 64 MiB would hold up every other request.
 */
function looksLikeJson(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024));
  return /^\s*[[{]/.test(start.toString('latin1')) && isUtf8(bytes);
}
