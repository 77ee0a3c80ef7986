import type { PartitionBus, Subscription } from '../../infra/ports/bus.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { Logger } from '../../infra/ports/log.ts';
import { Lateness } from './lateness.ts';
import type { RuntimePolicy } from './policy.ts';

export interface EdgeWatchDeps {
  readonly bus: PartitionBus;
  readonly clock: Clock;
  readonly log: Logger;
  readonly policy: RuntimePolicy;
  /** An edge was away for this long: its callers were not silent, they were not heard. */
  readonly onOutageEnd: (outageMs: number) => void;
  /** An edge lets its callers in later than before, by so much. */
  readonly onDelay: (byMs: number) => void;
}

/**
 * Hears the edges, each of which speaks every second. One that falls silent without a goodbye takes
 * its callers' heartbeats with it, so they get time to find another one; and while there is none at
 * all, nobody could have beaten. Without a broker there is nothing to be heard: that time is forgiven
 * for itself, and not once more for each edge.
 *
 * One that speaks may still be slow to let its callers in: what they say comes later by as much as it
 * tells, and deadlines move by that (see lateness.ts).
 */
export class EdgeWatch {
  readonly #deps: EdgeWatchDeps;
  readonly #heardMs = new Map<string, number>();
  readonly #lateness: Lateness;
  #signals: Subscription | undefined;
  #outages: Subscription | undefined;
  #stopLooking: (() => void) | undefined;
  /** When there was an edge at last, or when this watch began. */
  #lastMs = 0;
  /** The end of the last outage that was forgiven. */
  #forgivenToMs = Number.NEGATIVE_INFINITY;

  constructor(deps: EdgeWatchDeps) {
    this.#deps = deps;
    const { edgeSilenceMs, edgeWaitMaxMs, outageMinMs } = deps.policy;
    const bounds = { fromMs: edgeSilenceMs, stepMs: outageMinMs, maxMs: edgeWaitMaxMs };
    this.#lateness = new Lateness(bounds);
  }

  get hasEdge(): boolean {
    return this.#heardMs.size > 0;
  }

  start(): void {
    const { bus, clock, policy } = this.#deps;
    this.#lastMs = clock.monotonicMs();
    this.#signals = bus.onSignal('edge', (body) => this.#hear(body));
    this.#outages = bus.onOutageEnd((outageMs) => this.#resume(outageMs));
    this.#stopLooking = clock.every(policy.edgeLookEveryMs, () => this.#look());
  }

  async stop(): Promise<void> {
    this.#stopLooking?.();
    await Promise.all([this.#signals?.close(), this.#outages?.close()]);
  }

  #hear(body: unknown): void {
    const { bus, clock } = this.#deps;
    const told = edgeOf(body);
    // A word that overtakes the news of the broker's return will be said again.
    if (told === undefined || !bus.connected) return;
    const nowMs = clock.monotonicMs();
    if (told.isLeaving) {
      this.#forget(told.name);
      this.#lastMs = nowMs;
      return;
    }
    const awayMs = this.hasEdge ? 0 : nowMs - this.#lastMs;
    this.#heardMs.set(told.name, nowMs);
    this.#lastMs = nowMs;
    if (awayMs > 0) this.#forgive(nowMs - awayMs, nowMs);
    const lateMs = this.#lateness.told(told.name, told.waitMs, nowMs);
    if (lateMs > 0) this.#delay(told, lateMs);
  }

  #delay({ name, waitMs }: EdgeWord, byMs: number): void {
    this.#deps.log.warn('callers wait at an edge', { edge: name, waitMs, byMs });
    this.#deps.onDelay(byMs);
  }

  #forget(name: string): void {
    this.#heardMs.delete(name);
    this.#lateness.forget(name);
  }

  /** The broker is back; the edges are given the time of a silence to be so too. */
  #resume(outageMs: number): void {
    const nowMs = this.#deps.clock.monotonicMs();
    this.#lastMs = Math.min(nowMs, this.#lastMs + outageMs);
    for (const name of this.#heardMs.keys()) this.#heardMs.set(name, nowMs);
  }

  #look(): void {
    const { bus, clock, log, policy } = this.#deps;
    if (!bus.connected) return;
    const nowMs = clock.monotonicMs();
    let sinceMs = nowMs;
    for (const [name, heardMs] of this.#heardMs) {
      if (nowMs - heardMs < policy.edgeSilenceMs) continue;
      this.#forget(name);
      log.warn('an edge fell silent', { edge: name });
      sinceMs = Math.min(sinceMs, heardMs);
    }
    // Without any, the outage goes on until there is one again.
    if (this.hasEdge && sinceMs < nowMs) this.#forgive(sinceMs, nowMs);
  }

  /** Edges that are silent at a time cost their callers that time once. */
  #forgive(sinceMs: number, nowMs: number): void {
    const outageMs = nowMs - Math.max(sinceMs, this.#forgivenToMs);
    this.#forgivenToMs = nowMs;
    this.#deps.onOutageEnd(outageMs);
  }
}

interface EdgeWord {
  readonly name: string;
  readonly isLeaving: boolean;
  readonly waitMs: number;
}

function edgeOf(body: unknown): EdgeWord | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  if (!('name' in body && 'isLeaving' in body) || typeof body.name !== 'string') return undefined;
  // Edges of an earlier version say nothing of it.
  const waitMs = 'waitMs' in body && typeof body.waitMs === 'number' ? body.waitMs : 0;
  return { name: body.name, isLeaving: body.isLeaving === true, waitMs };
}
