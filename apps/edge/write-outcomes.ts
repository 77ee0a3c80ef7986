import type { CommandBus, RequestBudget } from '../../infra/ports/bus.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { Logger } from '../../infra/ports/log.ts';
import { Fault, type FaultCode } from '../../machines/fault.ts';

/** One alone may have been a single owner in trouble, two those who asked it together. */
const failuresMin = 3;
/** From the first one told to the last: what fails at one moment was cut off at one moment. */
const failingMinMs = 3_000;
/**
 * So long after the last failure the answer is no. A proxy that took the edge out for it sends nothing
 * more that could show the contrary, so it must end by itself.
 */
const redMs = 10_000;
/** Two heartbeats: until then the next failure is enough, where those who ask come seldom. */
const rememberedMs = 60_000;
/** Whoever had less time, as after a slow upload, learns nothing of whom he asked. */
const fairBudgetMs = 5_000;
/** Several times the partitions and the kinds of question that there are. */
const targetsMax = 1_000;

/** Answers, or the want of one, that are no caller's doing. */
const outages: ReadonlySet<FaultCode> = new Set([
  'OUTCOME_UNKNOWN',
  'OWNER_UNAVAILABLE',
  'STORE_UNAVAILABLE',
]);

interface Failing {
  readonly count: number;
  readonly sinceMs: number;
  readonly lastMs: number;
}

interface Asked {
  readonly target: string;
  readonly type: string;
  readonly budget: RequestBudget | undefined;
}

/**
 * What became of the last writes of this edge: a disk can be full, or a lock be held for ever, while
 * every neighbour answers what it is asked.
 *
 * 1. By whom was asked: a partition, or one kind of question to a service. That others are taken says
 *    nothing of one that hangs.
 * 2. Only a write that was taken ends a row of failures. A heartbeat is written nowhere, mostly, and a
 *    refusal not at all, so neither counts as one.
 * 3. No caller can bring a failure about: those are outages of ours, with time enough to answer. An
 *    OVERLOADED counts neither way: a partition that is flooded works for others, and a proxy that took
 *    the edge out for it would send the flood to the next one. One that hangs is overloaded too, but
 *    whom it had let in before is answered by an outage.
 * 4. What waits for a provider, or opens one miner's secret, brings its own time for one attempt, and is
 *    left out: it may fail for their sake.
 */
export class WriteOutcomes {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #failing = new Map<string, Failing>();

  constructor(clock: Pick<Clock, 'monotonicMs'>, log: Pick<Logger, 'warn'>) {
    this.#clock = clock;
    this.#log = log;
  }

  get isFailing(): boolean {
    const nowMs = this.#clock.monotonicMs();
    return [...this.#failing.values()].some(
      (failing) => isOutage(failing) && nowMs - failing.lastMs < redMs,
    );
  }

  /** The same bus, listened to. */
  watched(bus: CommandBus): CommandBus {
    return {
      ...bus,
      command: (to, command, budget) => {
        const asked = { target: `${to.kind} ${to.part}`, type: command.type, budget };
        return this.#watch(asked, bus.command(to, command, budget));
      },
      call: (service, request, budget) => {
        const asked = { target: `${service} ${request.type}`, type: request.type, budget };
        return this.#watch(asked, bus.call(service, request, budget));
      },
    };
  }

  async #watch(asked: Asked, answer: Promise<unknown>): Promise<unknown> {
    try {
      const body = await answer;
      if (asked.type !== 'heartbeat') this.#failing.delete(asked.target);
      return body;
    } catch (error) {
      if (isOurs(error, asked.budget)) this.#failed(asked.target);
      throw error;
    }
  }

  #failed(target: string): void {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#failing.get(target);
    const isKnown = known !== undefined && nowMs - known.lastMs < rememberedMs;
    const { count, sinceMs } = isKnown ? known : { count: 0, sinceMs: nowMs };
    const failing = { count: count + 1, sinceMs, lastMs: nowMs };
    // To the young end, so that the oldest is dropped.
    this.#failing.delete(target);
    this.#failing.set(target, failing);
    if (this.#failing.size > targetsMax) this.#dropOldest();
    const isNews = isOutage(failing) && !(isKnown && isOutage(known));
    if (isNews) this.#log.warn('writes are not taken', { target });
  }

  #dropOldest(): void {
    const [oldest] = this.#failing.keys();
    if (oldest !== undefined) this.#failing.delete(oldest);
  }
}

function isOutage({ count, sinceMs, lastMs }: Failing): boolean {
  return count >= failuresMin && lastMs - sinceMs >= failingMinMs;
}

function isOurs(error: unknown, { budgetMs, attemptMs }: RequestBudget = {}): boolean {
  if (!(error instanceof Fault && outages.has(error.code))) return false;
  return attemptMs === undefined && (budgetMs ?? fairBudgetMs) >= fairBudgetMs;
}
