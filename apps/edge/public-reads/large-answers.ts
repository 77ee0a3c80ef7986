import type { IncomingMessage, ServerResponse } from 'node:http';
import { refusal } from '../../../machines/refusal.ts';

/** Smaller ones are bounded by how many connections an address may have. */
const largeBytesMin = 64 * 1024;
const heldBytesMax = 256 * 1024 * 1024;
/** One who reads slowly leaves room for three others of his kind. */
const ofAddressBytesMin = heldBytesMax / 4;

interface Held {
  readonly bytes: number;
  /** Whoever asks for it meanwhile is to find it (`PublicReads`). */
  readonly keeps: object;
  /** Whose room it takes: that of who asked first. */
  readonly address: string;
  holders: number;
}

const nothing = () => undefined;

/**
 * Bounds what is held for those who read large answers slowly, or not at all, and what is held while such
 * is made smaller: of all, and of each address.
 */
export class LargeAnswers {
  readonly #addressOf: (request: IncomingMessage) => string;
  readonly #ofAddressBytesMax: number;
  /** Who reads the same bytes at the same time holds them together. */
  readonly #held = new Map<object, Held>();
  readonly #byAddress = new Map<string, number>();
  #heldBytes = 0;

  /** @param largestBytes of a document: an address may read one at least */
  constructor(addressOf: (request: IncomingMessage) => string, largestBytes: number) {
    this.#addressOf = addressOf;
    this.#ofAddressBytesMax = Math.max(ofAddressBytesMin, largestBytes);
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /**
   * Counts the body until the response closes, and keeps what it is the body of, if that is to be found.
   * @throws OVERLOADED when too much is held already
   */
  hold(response: ServerResponse, body: Uint8Array | string, of?: object): void {
    if (typeof body === 'string' || body.length < largeBytesMin) return;
    response.once(
      'close',
      this.#keep(body, { bytes: body.length, keeps: of ?? body }, response.req),
    );
  }

  /**
   * Counts a body that is to be compressed, and as much again for what that makes of it, until it is: also where
   * nobody waits for it any more. Answers what ends that.
   * @throws OVERLOADED when too much is held already
   */
  compressing(response: ServerResponse, body: Uint8Array | string, what: object): () => void {
    if (typeof body === 'string' || body.length < largeBytesMin) return nothing;
    return this.#keep(what, { bytes: 2 * body.length, keeps: what }, response.req);
  }

  #keep(what: object, of: Pick<Held, 'bytes' | 'keeps'>, request: IncomingMessage): () => void {
    const held = this.#held.get(what) ?? this.#add(what, of, this.#addressOf(request));
    held.holders += 1;
    return () => this.#release(what, held);
  }

  #add(what: object, { bytes, keeps }: Pick<Held, 'bytes' | 'keeps'>, address: string): Held {
    const ofAddress = this.#byAddress.get(address) ?? 0;
    if (this.#heldBytes + bytes > heldBytesMax || ofAddress + bytes > this.#ofAddressBytesMax) {
      throw refusal('OVERLOADED', { says: 'Too much is being read at once.' });
    }
    this.#heldBytes += bytes;
    this.#byAddress.set(address, ofAddress + bytes);
    const held = { bytes, keeps, address, holders: 0 };
    this.#held.set(what, held);
    return held;
  }

  #release(what: object, held: Held): void {
    held.holders -= 1;
    if (held.holders > 0) return;
    const { bytes, address } = held;
    this.#held.delete(what);
    this.#heldBytes -= bytes;
    const left = (this.#byAddress.get(address) ?? 0) - bytes;
    if (left > 0) this.#byAddress.set(address, left);
    else this.#byAddress.delete(address);
  }
}
