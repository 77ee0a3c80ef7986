export interface ConnectionLimits {
  /** Open at one process. */
  readonly max: number;
  /** Open at one process from one address block. */
  readonly perBlockMax: number;
}

/** Why a connection is not kept; undefined when it is. */
export type ConnectionRefusal = 'all' | 'block';

/**
 * Counts open connections, in all and by address block: no clock, no memory of who was here, so a
 * block that was full is welcome again the moment one of its connections ends. Blocks that are
 * proxies of ours speak for many and count only in all.
 */
export class ConnectionSlots {
  readonly #limits: ConnectionLimits;
  readonly #byBlock = new Map<string, number>();
  #open = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  get open(): number {
    return this.#open;
  }

  /** Blocks of which any connection is open. */
  get blocks(): number {
    return this.#byBlock.size;
  }

  /** Undefined when counted: then `leave` must be called exactly once, with the same block. */
  enter(block: string | undefined): ConnectionRefusal | undefined {
    if (this.#open >= this.#limits.max) return 'all';
    if (block !== undefined) {
      const ofBlock = this.#byBlock.get(block) ?? 0;
      if (ofBlock >= this.#limits.perBlockMax) return 'block';
      this.#byBlock.set(block, ofBlock + 1);
    }
    this.#open += 1;
    return undefined;
  }

  leave(block: string | undefined): void {
    this.#open -= 1;
    if (block === undefined) return;
    const others = (this.#byBlock.get(block) ?? 1) - 1;
    if (others === 0) this.#byBlock.delete(block);
    else this.#byBlock.set(block, others);
  }
}
