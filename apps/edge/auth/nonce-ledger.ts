import { authService } from '../../../actors/services/auth/messages.ts';
import { randomId } from '../../../infra/ids/ids.ts';
import type { CommandBus } from '../../../infra/ports/bus.ts';
import { askService } from '../ask-service.ts';
import { readOnly } from '../read-only.ts';

interface Waiting {
  readonly hotkey: string;
  readonly nonce: string;
  readonly settle: PromiseWithResolvers<boolean>;
}

// A row of a batch costs the database a few microseconds, a statement a hundred. Several batches are
// under way at once, so that a slow one holds nobody up.
const batchSizeMax = 256;
const batchesAtOnceMax = 8;

/**
 * Takes nonces, each once over all edges and restarts: the primary key in the database decides. Those
 * that come while batches are under way travel together in the next one.
 */
export class NonceLedger {
  readonly #bus: CommandBus;
  readonly #isReadOnly: () => boolean;
  readonly #waiting = new Map<string, Waiting>();
  #batches = 0;

  constructor(bus: CommandBus, isReadOnly: () => boolean = () => false) {
    this.#bus = bus;
    this.#isReadOnly = isReadOnly;
  }

  /** False when the key used this nonce before. */
  async take(hotkey: string, nonce: string): Promise<boolean> {
    if (this.#isReadOnly()) throw readOnly();
    const key = `${hotkey} ${nonce}`;
    // The same use twice in one batch: the first one has it.
    if (this.#waiting.has(key)) return false;
    const settle = Promise.withResolvers<boolean>();
    this.#waiting.set(key, { hotkey, nonce, settle });
    // Requests that arrived in the same tick share a batch.
    queueMicrotask(() => this.#send());
    return await settle.promise;
  }

  #send(): void {
    if (this.#batches >= batchesAtOnceMax || this.#waiting.size === 0) return;
    const batch = [...this.#waiting].slice(0, batchSizeMax);
    for (const [key] of batch) this.#waiting.delete(key);
    this.#batches += 1;
    void this.#settle(batch.map(([, waiting]) => waiting));
  }

  async #settle(batch: readonly Waiting[]): Promise<void> {
    try {
      const { fresh } = await askService(this.#bus, authService, {
        type: 'record-nonces',
        body: { nonces: batch.map(({ hotkey, nonce }) => ({ hotkey, nonce })) },
        id: randomId(),
        account: 'system',
      });
      for (const [index, { settle }] of batch.entries()) settle.resolve(fresh[index] === true);
    } catch (error) {
      for (const { settle } of batch) settle.reject(error);
    } finally {
      this.#batches -= 1;
      this.#send();
    }
  }
}
