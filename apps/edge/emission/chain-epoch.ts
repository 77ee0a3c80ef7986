import type { Chain } from '../../../infra/ports/chain.ts';
import { ChainUnavailable } from '../../../infra/ports/chain.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import { epochOfBlock } from '../../../machines/time/epoch.ts';

/** Half a block: an epoch is seen that late at most. */
const freshMs = 6_000;
/** While nothing was ever answered, first standings cannot be made. */
const againMs = 500;

/**
 * The epoch of the newest block, asked at most every six seconds however many want to know; twice a
 * second until it was told once.
 *
 * 1. A node that is away leaves the last answer standing; undefined only while none was ever given.
 * 2. It may go back when another node answers: callers never serve below the newest stored epoch.
 */
export class ChainEpoch {
  readonly #chain: Pick<Chain, 'blockNumber'>;
  readonly #clock: Clock;
  readonly #epochBlocks: number;
  #known: number | undefined;
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;

  constructor(chain: Pick<Chain, 'blockNumber'>, clock: Clock, epochBlocks: number) {
    this.#chain = chain;
    this.#clock = clock;
    this.#epochBlocks = epochBlocks;
  }

  async current(): Promise<number | undefined> {
    const pauseMs = this.#known === undefined ? againMs : freshMs;
    if (this.#clock.monotonicMs() - this.#askedAtMs >= pauseMs) {
      this.#asking ??= this.#ask().finally(() => {
        this.#asking = undefined;
      });
      await this.#asking;
    }
    return this.#known;
  }

  async #ask(): Promise<void> {
    try {
      this.#known = epochOfBlock(await this.#chain.blockNumber(), this.#epochBlocks);
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
    } finally {
      // A node that does not answer is not asked again at once either.
      this.#askedAtMs = this.#clock.monotonicMs();
    }
  }
}
