import { inferenceService, type Usage } from '../../../actors/services/inference/messages.ts';
import type { CommandBus } from '../../../infra/ports/bus.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { Service } from '../../../infra/ports/lifecycle.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import type { Telemetry } from '../../../infra/ports/telemetry.ts';
import { askService } from '../ask-service.ts';
import { over } from './time-limit.ts';

export interface UsageRecordsDeps {
  readonly bus: CommandBus;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Pick<Telemetry, 'count'>;
}

/** Of one completion, until it is counted or given up. */
interface Kept {
  readonly requestId: string;
  readonly usage: Usage;
  readonly sinceMs: number;
  /** Why the last try did not count it. */
  error?: unknown;
  readonly settle: () => void;
}

/** An answer waits no longer for its count: the words of a model are worth more than that. */
const answerWaitMs = 2000;
/** A database that is started again is away for a minute; what was counted is remembered for an hour. */
const keptForMs = 10 * 60_000;
/**
 * More than completions may be under way at an edge, none of which begins without a database: a few hundred
 * bytes each, so two megabytes at most.
 */
const keptMax = 5000;
const pauseMs = 1000;
/** Less than a stopping edge has for all that it does. */
const stopWaitMs = 5000;

/**
 * Sees to it that each completion is counted, once, also when nobody answers right now. What nobody
 * counted is kept in memory and tried again, for ten minutes at most and 5,000 of them: beyond either,
 * or where the edge stops or dies meanwhile, a completion is not counted. Each that is given up is an
 * error in the log with all it used, and one more of `paddock.inference.uncounted`.
 */
export class UsageRecords implements Service {
  readonly #deps: UsageRecordsDeps;
  /** What was told in vain, the longest untried first. */
  readonly #kept = new Map<string, Kept>();
  readonly #pending = new Set<Promise<void>>();
  /** By run: what no answer waits for any more, and nobody has counted. */
  readonly #uncounted = new Map<string, number>();
  #isRetrying = false;
  #isStopped = false;

  constructor(deps: UsageRecordsDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {}

  /** What is not counted yet is waited for, and not for long. */
  async stop(): Promise<void> {
    const done = new AbortController();
    const late = this.#deps.clock.sleep(stopWaitMs, done.signal);
    await Promise.race([Promise.all(this.#pending), late]);
    done.abort(over);
    this.#isStopped = true;
    for (const kept of [...this.#kept.values()]) this.#giveUp(kept, 'the edge stops');
  }

  /** Resolves when the request is counted, or goes on being tried behind the answer. */
  async record(requestId: string, usage: Usage): Promise<void> {
    const { clock, telemetry } = this.#deps;
    const { provider, isFailure } = usage;
    telemetry.count('paddock.inference.completions', 1, { provider, failed: isFailure });
    const { promise, resolve: settle } = Promise.withResolvers<void>();
    this.#pending.add(promise);
    void promise.finally(() => this.#pending.delete(promise));
    void this.#begin({ requestId, usage, sinceMs: clock.monotonicMs(), settle });
    const done = new AbortController();
    const isLate = await Promise.race([
      promise.then(() => false),
      clock.sleep(answerWaitMs, done.signal).then(() => true),
    ]);
    done.abort(over);
    if (!isLate) return;
    this.#add(usage.evalRunId, 1);
    void promise.then(() => this.#add(usage.evalRunId, -1));
  }

  /**
   * How many completions of a run have ended and are not counted yet, nor given up. Those that are still under way,
   * as an answer is that waits for its count, are not among them.
   */
  uncounted(evalRunId: string): number {
    return this.#uncounted.get(evalRunId) ?? 0;
  }

  #add(evalRunId: string, more: number): void {
    const count = this.uncounted(evalRunId) + more;
    if (count === 0) this.#uncounted.delete(evalRunId);
    else this.#uncounted.set(evalRunId, count);
  }

  async #begin(kept: Kept): Promise<void> {
    if (await this.#isCounted(kept)) return kept.settle();
    if (this.#isStopped) return this.#giveUp(kept, 'the edge stops');
    if (this.#kept.size >= keptMax) return this.#giveUp(kept, 'too many are kept');
    this.#kept.set(kept.requestId, kept);
    if (!this.#isRetrying) void this.#retry();
  }

  /** One after another: a database that has just come back is not to be met by all of them at once. */
  async #retry(): Promise<void> {
    this.#isRetrying = true;
    while (this.#kept.size > 0) {
      await this.#deps.clock.sleep(pauseMs);
      this.#giveUpOld();
      while (await this.#isFirstCounted());
    }
    this.#isRetrying = false;
  }

  async #isFirstCounted(): Promise<boolean> {
    const [first] = this.#kept.values();
    if (first === undefined) return false;
    const { requestId } = first;
    const isCounted = await this.#isCounted(first);
    // Given up meanwhile.
    if (!this.#kept.delete(requestId)) return true;
    if (isCounted) first.settle();
    // Behind the others, which it may not keep waiting if it is the only one that nobody counts.
    else this.#kept.set(requestId, first);
    return isCounted;
  }

  async #isCounted(kept: Kept): Promise<boolean> {
    const { requestId: id, usage: body } = kept;
    try {
      const ask = { type: 'record-usage', body, id, account: 'system' } as const;
      await askService(this.#deps.bus, inferenceService, ask);
      return true;
    } catch (error) {
      kept.error = error;
      return false;
    }
  }

  #giveUpOld(): void {
    const beforeMs = this.#deps.clock.monotonicMs() - keptForMs;
    for (const kept of [...this.#kept.values()]) {
      if (kept.sinceMs <= beforeMs) this.#giveUp(kept, 'it was kept for ten minutes');
    }
  }

  #giveUp(kept: Kept, why: string): void {
    const { requestId, usage, error } = kept;
    this.#kept.delete(requestId);
    this.#deps.telemetry.count('paddock.inference.uncounted', 1, { provider: usage.provider });
    this.#deps.log.error('a completion was not counted', { ...usage, requestId, why, error });
    kept.settle();
  }
}
