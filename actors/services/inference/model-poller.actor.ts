import type { Clock } from '../../../infra/ports/clock.ts';
import type { InferenceProvider, ProviderId } from '../../../infra/ports/inference.ts';
import type { Service } from '../../../infra/ports/lifecycle.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { keepSnapshot, takeTurn } from './store.ts';

export interface ModelPollerDeps {
  readonly sql: Sql;
  /** With the time that a look may take. */
  readonly providers: ReadonlyMap<ProviderId, InferenceProvider>;
  /** What agents may call; nobody asks for the state of anything else. */
  readonly allowed: Readonly<Record<ProviderId, readonly string[]>>;
  readonly everyMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Of the interval: ticks of one process are a little apart, those of others fall anywhere. */
const restShare = 0.9;

/**
 * Looks at what each provider serves and how it does, one process at a time over all of them. A look
 * that fails leaves the last good one where it is.
 */
export function createModelPoller(deps: ModelPollerDeps): Service {
  const ending = new AbortController();
  let stopTicking: (() => void) | undefined;
  let running: Promise<unknown> = Promise.resolve();
  const pollAll = () => {
    running = Promise.all(
      [...deps.providers.values()].map((provider) => poll(provider, deps, ending.signal)),
    );
    return running;
  };
  return {
    start: async () => {
      void pollAll();
      stopTicking = deps.clock.every(deps.everyMs, async () => {
        await pollAll();
      });
    },
    stop: async () => {
      stopTicking?.();
      ending.abort();
      await running;
    },
  };
}

async function poll(
  provider: InferenceProvider,
  { sql, allowed, everyMs, log }: ModelPollerDeps,
  signal: AbortSignal,
): Promise<void> {
  const { id } = provider;
  try {
    if (!(await takeTurn(sql, id, everyMs * restShare))) return;
    const served = await provider.servedModels(signal);
    const known = new Set(allowed[id]);
    await keepSnapshot(
      sql,
      id,
      served.filter(({ modelId }) => known.has(modelId)),
    );
  } catch (error) {
    if (!signal.aborted) log.warn('no news of what a provider serves', { provider: id, error });
  }
}
