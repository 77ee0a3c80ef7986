import { refusal } from '../../../machines/refusal.ts';

/** How many streams are open at this edge: each holds a socket for hours. */
export class StreamSlots {
  readonly #max: number;
  readonly #perAddressMax: number;
  readonly #byAddress = new Map<string, number>();
  #open = 0;

  constructor(limits: { readonly max: number; readonly perAddressMax: number }) {
    this.#max = limits.max;
    this.#perAddressMax = limits.perAddressMax;
  }

  /**
   * @returns what gives the place back, however often it is called
   * @throws RATE_LIMITED when the address has as many as it may, OVERLOADED when the edge has
   */
  take(address: string): () => void {
    const ofAddress = this.#byAddress.get(address) ?? 0;
    if (ofAddress >= this.#perAddressMax) {
      throw refusal('RATE_LIMITED', {
        says: `At most ${this.#perAddressMax} streams of an address may be open, and yours are.`,
        next: 'Close one of them first.',
      });
    }
    if (this.#open >= this.#max) {
      throw refusal('OVERLOADED', { says: 'No more streams are opened here now.' });
    }
    this.#open += 1;
    this.#byAddress.set(address, ofAddress + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#open -= 1;
      const others = (this.#byAddress.get(address) ?? 1) - 1;
      if (others === 0) this.#byAddress.delete(address);
      else this.#byAddress.set(address, others);
    };
  }
}
