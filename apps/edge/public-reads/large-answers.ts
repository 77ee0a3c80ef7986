import type { ServerResponse } from 'node:http';
import { refusal } from '../../../machines/refusal.ts';

/** Smaller ones are bounded by how many connections an address may have. */
const largeBytesMin = 64 * 1024;
const heldBytesMax = 256 * 1024 * 1024;

/** Bounds what is held for those who read large answers slowly, or not at all. */
export class LargeAnswers {
  /** Who reads the same bytes at the same time holds them together. */
  readonly #readers = new Map<Uint8Array, number>();
  #heldBytes = 0;

  /**
   * Counts the body until the response closes.
   * @throws OVERLOADED when too much is held already
   */
  hold(response: ServerResponse, body: Uint8Array | string): void {
    if (typeof body === 'string' || body.length < largeBytesMin) return;
    const readers = this.#readers.get(body) ?? 0;
    if (readers === 0) this.#add(body);
    this.#readers.set(body, readers + 1);
    response.once('close', () => this.#release(body));
  }

  #add({ length }: Uint8Array): void {
    if (this.#heldBytes + length > heldBytesMax) {
      throw refusal('OVERLOADED', { says: 'Too much is being read at once.' });
    }
    this.#heldBytes += length;
  }

  #release(body: Uint8Array): void {
    const left = (this.#readers.get(body) ?? 0) - 1;
    if (left > 0) {
      this.#readers.set(body, left);
      return;
    }
    this.#readers.delete(body);
    this.#heldBytes -= body.length;
  }
}
