import { publicKeyBytes, signatureBytes } from './sr25519-encoding.ts';

export interface Claim {
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
  readonly publicKey: Uint8Array;
}

/** In one batch. */
const claimsMax = 64;
/** Where in the head what stands, in words of four bytes; the sizes of the messages come last. */
const head = { batch: 0, count: 1, traps: 2, sizes: 3 } as const;
const headWords = head.sizes + claimsMax;
const headBytes = headWords * Int32Array.BYTES_PER_ELEMENT;
const fixedBytes = signatureBytes + publicKeyBytes;

/** A full batch of usual claims fits from the start. It grows up to what no request brings. */
const bytesAtStart = 16_384;
const bytesMax = 64 * 1024 * 1024;

/**
 * Memory that the pool and one thread share: a batch of claims goes in, its verdicts come out. That
 * wakes the thread for half of what a message costs, and nothing is cloned.
 *
 * The pool writes while the thread waits, and the thread while the pool waits for its word: whose turn
 * it is, is for the two to keep.
 */
export class ClaimRoom {
  readonly shared: SharedArrayBuffer;
  readonly #head: Int32Array<SharedArrayBuffer>;
  readonly #verdicts: Uint8Array<SharedArrayBuffer>;
  readonly #claims: Uint8Array<SharedArrayBuffer>;

  constructor(shared = new SharedArrayBuffer(bytesAtStart, { maxByteLength: bytesMax })) {
    this.shared = shared;
    this.#head = new Int32Array(shared, 0, headWords);
    this.#verdicts = new Uint8Array(shared, headBytes, claimsMax);
    // Of no fixed length: it grows with the memory.
    this.#claims = new Uint8Array(shared, headBytes + claimsMax);
  }

  /** Of the pool: wakes the thread. */
  put(claims: readonly Claim[]): void {
    if (claims.length > claimsMax) throw new RangeError(`a batch of ${claims.length} claims`);
    this.#makeRoom(claims.reduce((sum, { message }) => sum + fixedBytes + message.length, 0));
    let offset = 0;
    for (const [index, { signature, publicKey, message }] of claims.entries()) {
      this.#claims.set(signature, offset);
      this.#claims.set(publicKey, offset + signatureBytes);
      this.#claims.set(message, offset + fixedBytes);
      this.#head[head.sizes + index] = message.length;
      offset += fixedBytes + message.length;
    }
    this.#head[head.count] = claims.length;
    Atomics.add(this.#head, head.batch, 1);
    Atomics.notify(this.#head, head.batch);
  }

  /** Of the thread: blocks it until there is another batch than the one with this number. */
  wait(batch: number): { readonly batch: number; readonly claims: readonly Claim[] } {
    Atomics.wait(this.#head, head.batch, batch);
    return { batch: Atomics.load(this.#head, head.batch), claims: this.#taken() };
  }

  /** Of the thread. What is true is a good signature. */
  answer(verdicts: readonly boolean[], traps: number): void {
    for (const [index, isGood] of verdicts.entries()) this.#verdicts[index] = isGood ? 1 : 0;
    Atomics.store(this.#head, head.traps, traps);
  }

  /** Of the pool, when the thread says that it has answered. */
  verdicts(): readonly boolean[] {
    const count = this.#head[head.count] ?? 0;
    return Array.from(this.#verdicts.subarray(0, count), (verdict) => verdict === 1);
  }

  /** How often the quick library died in this thread so far. */
  get traps(): number {
    return Atomics.load(this.#head, head.traps);
  }

  #makeRoom(bytes: number): void {
    const needed = headBytes + claimsMax + bytes;
    if (needed > this.shared.byteLength) this.shared.grow(needed);
  }

  #taken(): readonly Claim[] {
    const count = this.#head[head.count] ?? 0;
    let offset = 0;
    return Array.from(this.#head.subarray(head.sizes, head.sizes + count), (size) => {
      const claim = this.#claims.subarray(offset, offset + fixedBytes + size);
      offset += claim.length;
      return {
        signature: claim.subarray(0, signatureBytes),
        publicKey: claim.subarray(signatureBytes, fixedBytes),
        message: claim.subarray(fixedBytes),
      };
    });
  }
}
