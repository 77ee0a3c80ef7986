import { RecentMap } from '../../../infra/cache/recent-map.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { EdgePeers } from '../../../infra/ports/edge-peers.ts';
import { refusal } from '../../../machines/refusal.ts';
import { countingEdge } from './counting-edge.ts';
import { RateWindow } from './rate-window.ts';

/** Refusals of other edges that are remembered, so that a flood stays with the edge that it meets. */
const refusalsMax = 10_000;

/**
 * At most `limit` requests of a key in any minute, over all edges: one edge counts the key, the
 * others ask it. See infra/decisions/0019-rate-limits-over-all-edges.md.
 *
 * Costs a microsecond where this edge counts, or is alone, or knows of the refusal; else a round
 * trip over the broker (0.3 ms). An edge that cannot be asked is done without: this one counts.
 */
export class SharedRate {
  readonly #name: string;
  readonly #limit: number;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #peers: Pick<EdgePeers, 'ask' | 'names' | 'self'>;
  readonly #window: RateWindow;
  /** Until when other edges refuse a key, in monotonic milliseconds. */
  readonly #refusedUntilMs = new RecentMap<string, number>(refusalsMax);

  constructor(
    rate: { readonly name: string; readonly limit: number },
    deps: {
      readonly clock: Pick<Clock, 'monotonicMs'>;
      readonly peers: Pick<EdgePeers, 'ask' | 'names' | 'self'>;
    },
  ) {
    this.#name = rate.name;
    this.#limit = rate.limit;
    this.#clock = deps.clock;
    this.#peers = deps.peers;
    this.#window = new RateWindow(rate.limit, deps.clock);
  }

  /**
   * Undefined where it is let through at once: most are, and a promise of each costs as much again.
   *
   * @throws RATE_LIMITED with the seconds, 1 to 60, until the next one is let through
   */
  take(key: string): Promise<void> | undefined {
    const waitMs = this.#waitMs(key);
    if (typeof waitMs !== 'number') return waitMs.then((ms) => this.#require(ms));
    this.#require(waitMs);
    return undefined;
  }

  /**
   * Takes nothing and asks nobody.
   *
   * @throws RATE_LIMITED where this edge knows by itself that `take` would
   */
  look(key: string): void {
    const { names, self } = this.#peers;
    const isCountedHere = countingEdge(names, `${this.#name} ${key}`) === self;
    this.#require(isCountedHere ? this.#window.look(key) : Math.max(0, this.#refusedMs(key)));
  }

  #require(waitMs: number): void {
    if (waitMs === 0) return;
    throw refusal('RATE_LIMITED', {
      says: `At most ${this.#limit} of these a minute are answered.`,
      extras: {
        retry_after_seconds: Math.min(60, Math.max(1, Math.ceil(waitMs / 1000))),
      },
    });
  }

  /** The verdict of this edge's own count: zero, or the milliseconds to wait. */
  count(key: string): number {
    return this.#window.take(key);
  }

  #waitMs(key: string): Promise<number> | number {
    const question = `${this.#name} ${key}`;
    const { names, self } = this.#peers;
    const edge = countingEdge(names, question);
    if (edge === self) return this.count(key);
    const knownMs = this.#refusedMs(key);
    return knownMs > 0 ? knownMs : this.#askedMs(key, { edge, question });
  }

  /** For how long another edge is known to refuse the key. */
  #refusedMs(key: string): number {
    return (this.#refusedUntilMs.get(key) ?? 0) - this.#clock.monotonicMs();
  }

  async #askedMs(
    key: string,
    { edge, question }: { readonly edge: string; readonly question: string },
  ): Promise<number> {
    const waitMs = verdictOf(await this.#peers.ask(edge, question));
    if (waitMs === undefined) return this.count(key);
    if (waitMs > 0) this.#refusedUntilMs.set(key, this.#clock.monotonicMs() + waitMs);
    return waitMs;
  }
}

/** Anything but a count of milliseconds is no verdict: then it is as if nobody had answered. */
function verdictOf(answer: string | undefined): number | undefined {
  if (answer === undefined || answer === '') return undefined;
  const waitMs = Number(answer);
  return waitMs >= 0 && waitMs <= 60_000 ? waitMs : undefined;
}
