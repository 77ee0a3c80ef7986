import type { Config } from '../../../infra/config/config.ts';
import { randomId } from '../../../infra/ids/ids.ts';
import { createProviders } from '../../../infra/inference/providers.ts';
import type { CommandBus } from '../../../infra/ports/bus.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import type { Seal } from '../../../infra/ports/seal.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { Telemetry } from '../../../infra/ports/telemetry.ts';
import { findInferenceRun } from '../reads/inference.ts';
import { InferenceProxy } from './inference-proxy.ts';
import { lendKey } from './lend-key.ts';
import { LentKeys } from './lent-keys.ts';
import { ModelStates } from './model-states.ts';
import { ProviderBreakers } from './provider-breakers.ts';
import { RunSlots } from './run-slots.ts';
import { UsageRecords } from './usage-records.ts';

/** What routes ask about language models. */
export interface Inference {
  readonly states: ModelStates;
  readonly proxy: InferenceProxy;
  /** Taken before a body is read, and held until its answer is out. */
  readonly slots: RunSlots;
  /** Stopped when nothing is asked any more: it counts to the end. */
  readonly records: UsageRecords;
}

/** One miner may have several keys; a real outage is met by everybody who asks. */
const blamingMinersMin = 3;

export function createInference(deps: {
  readonly config: Config;
  readonly sql: Sql;
  readonly bus: CommandBus;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}): Inference {
  const { config, sql, clock } = deps;
  const { provideraUrl, providerbUrl } = config;
  const states = new ModelStates(sql, clock);
  const records = new UsageRecords(deps);
  const policy = {
    failuresMax: config.inferenceBreakerFailures,
    minersMin: blamingMinersMin,
    restMs: config.inferenceBreakerSeconds * 1000,
  };
  const slots = new RunSlots(config.inferenceConcurrentPerRun);
  const proxy = new InferenceProxy({
    ...{ config, clock, states, records, slots },
    findRun: (evalRunId) => findInferenceRun(sql, evalRunId),
    providers: createProviders({ provideraUrl, providerbUrl, clock }),
    breakers: new ProviderBreakers(policy, clock),
    keys: new LentKeys((wish) => lendKey(wish, { ...deps, newId: randomId }), clock),
  });
  return { states, proxy, slots, records };
}
