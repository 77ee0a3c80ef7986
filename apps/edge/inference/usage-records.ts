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

/** An answer waits no longer for its count: the words of a model are worth more than that. */
const answerWaitMs = 2000;
/** Each try takes up to the bus's own 10 s. */
const triesMax = 5;
const pauseMs = 1000;

/** Sees to it that each completion is counted, once, also when nobody answers right now. */
export class UsageRecords implements Service {
  readonly #deps: UsageRecordsDeps;
  readonly #pending = new Set<Promise<void>>();

  constructor(deps: UsageRecordsDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {}

  /** What is not counted yet is waited for. */
  async stop(): Promise<void> {
    await Promise.all(this.#pending);
  }

  /** Resolves when the request is counted, or goes on being tried behind the answer. */
  async record(requestId: string, usage: Usage): Promise<void> {
    const { provider, isFailure } = usage;
    this.#deps.telemetry.count('paddock.inference.completions', 1, { provider, failed: isFailure });
    const recording = this.#persistently(requestId, usage);
    this.#pending.add(recording);
    void recording.finally(() => this.#pending.delete(recording));
    const done = new AbortController();
    const late = this.#deps.clock.sleep(answerWaitMs, done.signal);
    await Promise.race([recording, late]);
    done.abort(over);
  }

  async #persistently(requestId: string, usage: Usage): Promise<void> {
    const { bus, clock, log } = this.#deps;
    for (let tries = 1; ; tries++) {
      try {
        const ask = {
          type: 'record-usage',
          body: usage,
          id: requestId,
          account: 'system',
        } as const;
        await askService(bus, inferenceService, ask);
        return;
      } catch (error) {
        if (tries === triesMax) {
          log.error('a completion was not counted', { ...usage, requestId, error });
          return;
        }
        await clock.sleep(pauseMs);
      }
    }
  }
}
