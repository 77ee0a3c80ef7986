import type { HistoryWatch } from '../../infra/history/history-watch.ts';
import type { InstallationWatch } from '../../infra/nats/installation.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { ObjectStore } from '../../infra/ports/object-store.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import type { ProofWatch } from './auth/proof-watch.ts';
import type { ClockWatch } from './clock-watch.ts';
import type { ChainWatch } from './emission/chain-watch.ts';
import { Readiness } from './readiness.ts';
import { ServerFitness } from './server-fitness.ts';
import type { WriteOutcomes } from './write-outcomes.ts';
import {
  admissionProbe,
  brokerProbe,
  chainProbe,
  clockProbe,
  databaseProbes,
  objectStoreProbe,
} from './write-probes.ts';

const unaskedMs = 60_000;

interface ReadinessOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  readonly allowUnsafeWrites?: boolean;
}

/** All that a write needs, each as what watches it knows it. */
interface Watched {
  readonly sql: Sql;
  readonly history: HistoryWatch;
  readonly outcomes: WriteOutcomes;
  readonly proofs: ProofWatch;
  readonly broker: { flush(): Promise<void> };
  readonly installation: InstallationWatch;
  /** Undefined where a simulated clock says which epoch it is. */
  readonly chainWatch: ChainWatch | undefined;
  readonly clockWatch: ClockWatch;
  readonly objects: ObjectStore;
}

/** Whether this edge is ready, and what is in the way of a write. */
export function openReadiness(
  { clock, log, telemetry, allowUnsafeWrites = false }: ReadinessOptions,
  {
    sql,
    history,
    outcomes,
    proofs,
    broker,
    installation,
    chainWatch,
    clockWatch,
    objects,
  }: Watched,
  stack: AsyncDisposableStack,
): Readiness {
  const demands = { allowUnsafeWrites, allowReadOnly: true };
  const fitness = new ServerFitness({ sql, demands, clock, log });
  // Where no proxy asks for /health/deep the alarm would go by what nobody ever looked at.
  stack.defer(clock.every(unaskedMs, () => fitness.look()));
  stack.defer(telemetry.gauge('paddock.database.unfit', () => (fitness.isUnfit ? 1 : 0)));
  stack.defer(telemetry.gauge('paddock.edge.clock_ahead', () => clockWatch.aheadSeconds));
  const probes = {
    ...databaseProbes(sql, { history, outcomes }),
    admission: admissionProbe(proofs),
    broker: brokerProbe(broker, installation),
    chain: chainProbe(chainWatch),
    clock: clockProbe(clockWatch),
    durability: () => fitness.require(),
    object_store: objectStoreProbe(objects),
  };
  return new Readiness(probes, clock);
}
