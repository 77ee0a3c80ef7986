import type { Clock } from '../../../infra/ports/clock.ts';
import type { Service } from '../../../infra/ports/lifecycle.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import { furthestEpoch } from '../../../machines/emission/furthest-epoch.ts';
import { blockMs } from '../../../machines/time/epoch.ts';
import type { MadeSoFar } from '../reads/standings.ts';
import type { ChainEpoch } from './chain-epoch.ts';

/**
 * A chain misses a block or two in a row and a node that is started again is back within minutes: fifty
 * that do not come are no chance. A usual epoch has 360, so most of it is left to whoever is called.
 */
const stillMaxMs = 50 * blockMs;
const askEveryMs = 60_000;

/** In words for strangers. */
export type ChainTrouble = (typeof troubles)[keyof typeof troubles];

const troubles = {
  silent: 'the chain node does not answer',
  still: 'the chain node shows no new block',
  behind: 'the chain node is behind the newest standings',
  refused: 'the chain node names an epoch that it cannot be',
} as const;

export interface ChainWatchDeps {
  readonly chainEpoch: Pick<ChainEpoch, 'current' | 'heard'>;
  /** The last that have standings, whichever edge asked for them. */
  readonly madeSoFar: () => Promise<MadeSoFar>;
  readonly epochMs: number;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error' | 'info'>;
}

/**
 * Whether the chain goes on saying which epoch it is. While it does not, every validator is served the
 * standings of the last one, and the emissions of a new top go to the old one: nobody is refused
 * anything, so nobody would complain.
 *
 * And whether what it says is believed: the owner of the standings refuses to make those of an epoch that it
 * cannot be. While it does, whoever asks is refused, by an honest chain too where the time of what was made is
 * wrong, and that does not end by itself.
 *
 * It asks by itself: of an edge that nobody asks for standings it is to be known as well.
 */
export class ChainWatch implements Service {
  readonly #deps: ChainWatchDeps;
  #stall: ChainTrouble | undefined;
  #isRefused = false;
  #behindSinceMs: number | undefined;
  #stop: (() => void) | undefined;

  constructor(deps: ChainWatchDeps) {
    this.#deps = deps;
  }

  get trouble(): ChainTrouble | undefined {
    return this.#isRefused ? troubles.refused : this.#stall;
  }

  get isStalled(): boolean {
    return this.#stall !== undefined;
  }

  get isRefused(): boolean {
    return this.#isRefused;
  }

  async start(): Promise<void> {
    this.#stop ??= this.#deps.clock.every(askEveryMs, () => this.#look());
  }

  async stop(): Promise<void> {
    this.#stop?.();
    this.#stop = undefined;
  }

  async #look(): Promise<void> {
    const epoch = await this.#deps.chainEpoch.current();
    const before = this.trouble;
    await this.#compare(epoch);
    this.#stall = this.#find();
    this.#tellChange(before);
  }

  async #compare(epoch: number | undefined): Promise<void> {
    try {
      const { made, nowMs } = await this.#deps.madeSoFar();
      const newest = made[0]?.epochIndex;
      this.#compareWith(newest, epoch);
      // The first that is ever made may be any.
      const isBound = epoch !== undefined && newest !== undefined;
      this.#isRefused = isBound && epoch > furthestEpoch(made, nowMs, this.#deps.epochMs);
    } catch {
      // A database that does not answer is told of elsewhere, and is no news of the chain.
    }
  }

  /** For moments it is behind at the turn of an epoch, when another edge's node was the first to see it. */
  #compareWith(newest: number | undefined, epoch: number | undefined): void {
    const isBehind = epoch !== undefined && newest !== undefined && epoch < newest;
    const sinceMs = this.#behindSinceMs ?? this.#deps.clock.monotonicMs();
    this.#behindSinceMs = isBehind ? sinceMs : undefined;
  }

  #find(): ChainTrouble | undefined {
    const { chainEpoch, clock } = this.#deps;
    const { isAnswering, stillMs } = chainEpoch.heard;
    if (stillMs >= stillMaxMs) return isAnswering ? troubles.still : troubles.silent;
    const sinceMs = this.#behindSinceMs ?? Number.POSITIVE_INFINITY;
    return clock.monotonicMs() - sinceMs >= stillMaxMs ? troubles.behind : undefined;
  }

  #tellChange(before: ChainTrouble | undefined): void {
    const { log } = this.#deps;
    const { trouble } = this;
    if (trouble !== undefined && trouble !== before) {
      log.error('the chain does not say any more which epoch it is', { trouble });
    }
    if (trouble === undefined && before !== undefined) {
      log.info('the chain says again which epoch it is');
    }
  }
}
