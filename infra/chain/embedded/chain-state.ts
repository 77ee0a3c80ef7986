import { join } from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import { type ChainContent, readChainFile, writeChainFile } from './chain-file.ts';
import { foundSubnet, type Storage, type SubnetBlock } from './subnet.ts';

export interface ChainStateOptions {
  readonly dataDir: string;
  readonly netuid: number;
  readonly clock: Clock;
}

/** Bittensor's time from block to block. */
const blockMs = 12_000;

/**
 * 1. A change is on disk before anybody can read it.
 * 2. Changes go one after the other; one that fails leaves no trace.
 * 3. The block number never goes back while the node runs, whatever the clock does.
 */
export class ChainState {
  readonly #path: string;
  readonly #options: ChainStateOptions;
  readonly #genesisMs: number;
  #storage: Storage;
  #blockNumber = 0;
  #lastChange: Promise<unknown> = Promise.resolve();

  private constructor(options: ChainStateOptions, path: string, chain: ChainContent) {
    this.#path = path;
    this.#options = options;
    this.#genesisMs = chain.genesisMs;
    this.#storage = new Map(Object.entries(chain.storage));
  }

  static async open(options: ChainStateOptions): Promise<ChainState> {
    const path = join(options.dataDir, 'chain.json');
    const chain = await readChainFile(path);
    const genesis = { genesisMs: Math.trunc(options.clock.nowMs()), storage: {} };
    const state = new ChainState(options, path, chain ?? genesis);
    await state.change((storage, { netuid }) => foundSubnet(storage, netuid));
    return state;
  }

  get storage(): Readonly<Storage> {
    return this.#storage;
  }

  blockNumber(): number {
    const elapsedMs = this.#options.clock.nowMs() - this.#genesisMs;
    this.#blockNumber = Math.max(this.#blockNumber, Math.floor(elapsedMs / blockMs));
    return this.#blockNumber;
  }

  /** What `change` would answer now; leaves everything as it is. */
  async attempt<Result>(apply: (storage: Storage, at: SubnetBlock) => Result): Promise<Result> {
    await this.settled();
    const { netuid } = this.#options;
    return apply(new Map(this.#storage), { netuid, blockNumber: this.blockNumber() });
  }

  async change<Result>(apply: (storage: Storage, at: SubnetBlock) => Result): Promise<Result> {
    const changed = this.#lastChange.then(async () => {
      const storage = new Map(this.#storage);
      const { netuid } = this.#options;
      const result = apply(storage, { netuid, blockNumber: this.blockNumber() });
      const content = { genesisMs: this.#genesisMs, storage: Object.fromEntries(storage) };
      await writeChainFile(this.#path, content);
      this.#storage = storage;
      return result;
    });
    this.#lastChange = changed.catch(() => undefined);
    return await changed;
  }

  /** Resolves when no change is under way. */
  async settled(): Promise<void> {
    await this.#lastChange;
  }
}
