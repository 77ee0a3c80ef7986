import type { IncomingMessage, ServerResponse } from 'node:http';
import { refusal } from '../../../machines/refusal.ts';
import { onceClosed } from '../answer.ts';

/** Smaller ones are bounded by how many requests may be in flight. */
const largeBytesMin = 64 * 1024;

// In bodies of the largest size. Nobody honest comes near: results of a whole roster are a tenth of one,
// and a validator sends a batch or two at a time.
const perKeyMax = 16;
const max = 64;
/** When half of all room is taken. */
const perKeyInCrowdMax = 2;

/** Gives back what is held beyond what came. */
export type Came = (bytes: number) => void;

/**
 * Bounds what is held of large JSON bodies, of each key and of all: by their size as it is announced,
 * before they are read, and until their requests are answered. Who announces none may send the largest,
 * until it is known what came.
 */
export class LargeBodies {
  readonly #largestBytes: number;
  readonly #onRefused: () => void;
  readonly #byKey = new Map<string, number>();
  #heldBytes = 0;

  /** @param largestBytes how large a body may be */
  constructor(largestBytes: number, onRefused: () => void) {
    this.#largestBytes = largestBytes;
    this.#onRefused = onRefused;
  }

  /**
   * 503 in any case: deployed validators drop their work at a 429.
   * @throws OVERLOADED
   */
  hold(request: IncomingMessage, response: ServerResponse, key: string): Came {
    let bytes = Math.min(announcedBytes(request), this.#largestBytes);
    if (bytes < largeBytesMin) return nothingBeyond;
    const ofKey = this.#byKey.get(key) ?? 0;
    this.#requireRoom(bytes, ofKey);
    this.#heldBytes += bytes;
    this.#byKey.set(key, ofKey + bytes);
    const keepOnly = (left: number) => {
      if (left >= bytes) return;
      this.#release(bytes - left, key);
      bytes = left;
    };
    onceClosed(response, () => keepOnly(0));
    return (came) => keepOnly(came < largeBytesMin ? 0 : came);
  }

  #requireRoom(bytes: number, ofKey: number): void {
    const isCrowd = this.#heldBytes >= (this.#largestBytes * max) / 2;
    const ofKeyMax = this.#largestBytes * (isCrowd ? perKeyInCrowdMax : perKeyMax);
    const isAll = this.#heldBytes + bytes > this.#largestBytes * max;
    if (!isAll && ofKey + bytes <= ofKeyMax) return;
    this.#onRefused();
    throw refusal('OVERLOADED', { says: 'Too many large bodies are under way.' });
  }

  #release(bytes: number, key: string): void {
    this.#heldBytes -= bytes;
    const left = (this.#byKey.get(key) ?? 0) - bytes;
    if (left > 0) this.#byKey.set(key, left);
    else this.#byKey.delete(key);
  }
}

const nothingBeyond: Came = () => undefined;

function announcedBytes({ headers }: IncomingMessage): number {
  if (headers['transfer-encoding'] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(headers['content-length'] ?? 0);
}
