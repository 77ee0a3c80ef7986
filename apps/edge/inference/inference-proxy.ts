import type { Config } from '../../../infra/config/config.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import { type ProviderId, providerIds } from '../../../infra/ports/inference.ts';
import { refusal } from '../../../machines/refusal.ts';
import { AwaitedAnswer } from '../awaited-answer.ts';
import type { InferenceRun } from '../reads/inference.ts';
import { providerNameOf } from '../wire/provider.ts';
import { allowlistOf } from './allowlist.ts';
import { chooseRoutes, type Route } from './choose-routes.ts';
import { exchange } from './exchange.ts';
import type { ModelStates } from './model-states.ts';
import type { RunSlots } from './run-slots.ts';
import type { SendDeps } from './send-to-provider.ts';
import { TimeLimit } from './time-limit.ts';
import type { CompletionBody } from './upstream-body.ts';
import type { UsageRecords } from './usage-records.ts';

export interface ProxyDeps extends SendDeps {
  readonly config: Config;
  readonly clock: Clock;
  readonly findRun: (evalRunId: string) => Promise<InferenceRun | undefined>;
  readonly states: Pick<ModelStates, 'of'>;
  /** Each completion has taken its own before its body was read. */
  readonly slots: Pick<RunSlots, 'taken'>;
  readonly records: Pick<UsageRecords, 'record' | 'uncounted'>;
}

export interface CompletionAsk {
  readonly evalRunId: string;
  /** The provider that the agent asks. */
  readonly active: ProviderId;
  readonly body: CompletionBody;
  /** Counted once, however often it is told. */
  readonly requestId: string;
  /** Aborts when the agent is gone. */
  readonly gone: AbortSignal;
}

/**
 * Passes completions of evaluation runs on to the providers, under keys that the agents never see.
 * See infra/decisions/0020-inference-tokens-and-proxy.md.
 *
 * 1. A model that the active provider's allowlist does not hold is never asked for.
 * 2. Each completion that is sent to a provider is counted once, when it ends, however it ends.
 * 3. An agent that leaves ends its request at the provider.
 */
export class InferenceProxy {
  readonly #deps: ProxyDeps;

  constructor(deps: ProxyDeps) {
    this.#deps = deps;
  }

  /** @throws what refuses the completion before anybody is asked for it */
  async begin(ask: CompletionAsk): Promise<AwaitedAnswer> {
    const { config, clock } = this.#deps;
    // Nobody would be told, nor end what begins here.
    ask.gone.throwIfAborted();
    const limit = new TimeLimit(clock);
    ask.gone.addEventListener('abort', () => limit.end(), { once: true });
    try {
      const choice = await this.#choiceOf(ask);
      limit.start(config.inferenceTimeoutSeconds * 1000);
      return new AwaitedAnswer(() => this.#exchange(ask, choice, limit));
    } catch (error) {
      limit.end();
      throw error;
    }
  }

  async #exchange(
    { evalRunId, body, requestId, gone }: CompletionAsk,
    choice: Choice,
    limit: TimeLimit,
  ) {
    const { config, records } = this.#deps;
    let counted: Promise<void> | undefined;
    return await exchange(
      {
        ...{ evalRunId, body, gone, limit, ...choice },
        firstByteMs: config.inferenceFirstByteSeconds * 1000,
        nameOf: ({ provider }) => providerNameOf(provider, config),
        finish: (usage) => {
          limit.end();
          counted ??=
            usage === undefined
              ? Promise.resolve()
              : records.record(requestId, { ...usage, evalRunId });
          return counted;
        },
      },
      this.#deps,
    );
  }

  async #choiceOf({ evalRunId, active, body }: CompletionAsk): Promise<Choice> {
    const { config, findRun, records, slots, states, providers } = this.#deps;
    const uncounted = records.uncounted(evalRunId);
    const [run, ...snapshots] = await Promise.all([
      findRun(evalRunId),
      ...providerIds.map((id) => states.of(id)),
    ]);
    if (run === undefined)
      throw refusal('INVALID_SESSION', {
        says: 'The evaluation run has ended.',
        next: 'Stop: its token answers nothing any more.',
      });
    // One that is counted while the run is looked up may be missing there.
    const past = Math.max(uncounted, records.uncounted(evalRunId));
    requireMore(run, slots.taken(evalRunId) + past, config);
    const choose = (model: string) =>
      chooseRoutes({
        ...{ active, model },
        allowlistOf: (id) => allowlistOf(id, config),
        connected: new Set(run.connected),
        inUse: providers,
        servedBy: (id) => snapshots.find((each) => each?.provider === id)?.models,
      });
    const ids = new Map((body.models ?? []).map((model) => [model, choose(model)[0].modelId]));
    return {
      minerHotkey: run.minerHotkey,
      lent: run.lent,
      routes: choose(body.model),
      idOf: (model) => ids.get(model) ?? model,
    };
  }
}

interface Choice {
  readonly minerHotkey: string;
  readonly lent: InferenceRun['lent'];
  readonly routes: readonly [Route, ...Route[]];
  readonly idOf: (model: string) => string;
}

/**
 * What is under way counts, this one included, and what has ended and nobody has counted yet. A run that has used all of them is told to come back
 * when it is over: clients of models repeat a 429 as soon as they are told that there may be room.
 */
function requireMore(run: InferenceRun, underWay: number, config: Config): void {
  const { inferenceRequestsPerRun: most, runLimitSeconds } = config;
  if (run.requests >= most) {
    const leftMs = Math.max(runLimitSeconds * 1000 - run.ageMs, run.limitInMs ?? 0);
    const seconds = Math.max(1, Math.ceil(leftMs / 1000));
    throw refusal('RATE_LIMITED', {
      says: `This run has used all its ${most} completions.`,
      next: 'Go on without any: no further one is answered.',
      extras: { retry_after_seconds: seconds },
    });
  }
  if (run.requests + underWay <= most) return;
  throw refusal('RATE_LIMITED', {
    says: `The last of the ${most} completions of this run are under way.`,
  });
}
