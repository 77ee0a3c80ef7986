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

/**
 * Of text, for each list, object and text in it: no honest body has more of them. One that does weighs as
 * much as an honest one with as many, for most of what is held of it is these.
 */
const bytesOfPart = 10;

/**
 * Gives back what is held beyond what came, and holds more where it has so many parts.
 * @throws OVERLOADED
 */
export type Came = (bytes: number, parts: number) => void;

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
    let held = 0;
    const holdOnly = (bytes: number) => {
      if (bytes > held) this.#take(bytes - held, key);
      else this.#release(held - bytes, key);
      if (held === 0 && bytes > 0) onceClosed(response, () => holdOnly(0));
      held = bytes;
    };
    const holdLarge = (bytes: number) => {
      const wanted = bytes < largeBytesMin ? 0 : Math.min(bytes, this.#largestBytes);
      if (wanted !== held) holdOnly(wanted);
    };
    holdLarge(announcedBytes(request));
    return (bytes, parts) => {
      // Nothing would give back what is taken for one that is gone.
      if (!response.destroyed) holdLarge(Math.max(bytes, parts * bytesOfPart));
    };
  }

  #take(bytes: number, key: string): void {
    const ofKey = this.#byKey.get(key) ?? 0;
    this.#requireRoom(bytes, ofKey);
    this.#heldBytes += bytes;
    this.#byKey.set(key, ofKey + bytes);
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

function announcedBytes({ headers }: IncomingMessage): number {
  if (headers['transfer-encoding'] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(headers['content-length'] ?? 0);
}
