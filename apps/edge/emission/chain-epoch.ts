import type { Chain } from '../../../infra/ports/chain.ts';
import { ChainUnavailable } from '../../../infra/ports/chain.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import { epochOfBlock } from '../../../machines/time/epoch.ts';

/** Half a block: an epoch is seen that late at most. */
const freshMs = 6_000;
/** While nothing was ever answered, first standings cannot be made. */
const againMs = 500;
/** Nodes behind one address are fewer, and one that stands still has one number. */
const rememberedMax = 100;

export interface Heard {
  readonly isAnswering: boolean;
  /** How long no other block had been told of than before. */
  readonly stillMs: number;
}

/**
 * The epoch of the newest block, asked at most every six seconds however many want to know; twice a
 * second until it was told once.
 *
 * 1. A node that is away leaves the last answer standing; undefined only while none was ever given.
 * 2. It may go back when another node answers: callers never serve below the newest stored epoch.
 * 3. It also stands while a node gives the same answer for ever: `heard` tells.
 */
export class ChainEpoch {
  readonly #chain: Pick<Chain, 'blockNumber'>;
  readonly #clock: Clock;
  readonly #epochBlocks: number;
  #known: number | undefined;
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;
  /** Numbers that were told, the latest last. */
  readonly #told = new Set<number>();
  /** On the monotonic clock: one that is put back or jumps makes no block old. */
  #grewAtMs: number;
  #isAnswering = false;

  constructor(chain: Pick<Chain, 'blockNumber'>, clock: Clock, epochBlocks: number) {
    this.#chain = chain;
    this.#clock = clock;
    this.#epochBlocks = epochBlocks;
    this.#grewAtMs = clock.monotonicMs();
  }

  /** As of the last question, so that a pause between two makes nobody late. */
  get heard(): Heard {
    const stillMs = Math.max(0, this.#askedAtMs - this.#grewAtMs);
    return { isAnswering: this.#isAnswering, stillMs };
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
      const block = await this.#chain.blockNumber();
      this.#known = epochOfBlock(block, this.#epochBlocks);
      this.#isAnswering = true;
      this.#hear(block);
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
      this.#isAnswering = false;
    } finally {
      // A node that does not answer is not asked again at once either.
      this.#askedAtMs = this.#clock.monotonicMs();
    }
  }

  /**
   * News is what was not told before, higher or lower: several nodes behind one address that all stand
   * still tell the same few numbers by turns, however far apart they are.
   */
  #hear(block: number): void {
    if (!this.#told.delete(block)) this.#grewAtMs = this.#clock.monotonicMs();
    this.#told.add(block);
    const [oldest] = this.#told;
    if (oldest !== undefined && this.#told.size > rememberedMax) this.#told.delete(oldest);
  }
}
