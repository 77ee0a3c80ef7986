import { createHost, type Host } from '../../../actors/runtime/host.ts';
import { partitionKinds } from '../../../apps/coordinator/partition-kinds.ts';
import { randomHex, randomId } from '../../../infra/ids/ids.ts';
import { createMembershipStore } from '../../../infra/postgres/membership-store.ts';
import { createOutboxStore } from '../../../infra/postgres/outbox-store.ts';
import { createPartitionStore } from '../../../infra/postgres/partition-store.ts';
import type { SimProcess } from '../kernel/sim-process.ts';
import { coordinatorConfig, runtimePolicy } from './settings.ts';
import { startSimServices } from './sim-services.ts';
import { connectProcess, type SimWorld } from './sim-world.ts';

export interface SimCoordinator {
  readonly process: SimProcess;
  readonly host: Host;
  /** Resolves when it left in good order. */
  drain(): Promise<void>;
}

/** apps/coordinator over the ports of the simulated world. */
export async function startSimCoordinator(
  world: SimWorld,
  process: SimProcess,
  codeVersion: number,
): Promise<SimCoordinator> {
  const config = coordinatorConfig;
  const { clock } = process;
  const { bus, log, telemetry, sqlAs } = connectProcess(world, process);
  await bus.connection.opened();
  const commits = sqlAs('paddock_actor');
  const memberId = `${process.name}-${randomHex(4)}`;
  const partitions = createPartitionStore(commits);
  const host = createHost({
    memberId,
    kinds: partitionKinds(config, { sql: commits, branch: 0, log, telemetry }),
    partitions,
    // All processes share the connections there.
    members: { ...createMembershipStore(sqlAs('paddock_actor')), isConnected: async () => true },
    outbox: createOutboxStore(commits),
    bus: bus.partitions,
    messages: bus.messages,
    sharing: bus.sharing,
    ...{ clock, log, telemetry },
    newIncarnation: randomId,
    watchesEdges: true,
    simulation: {
      offsetMs: () => world.kernel.domainOffsetUs / 1000,
      rested: () => undefined,
    },
    policy: {
      ...runtimePolicy,
      codeVersion,
      // So few commands a day would hardly ever share a statement: one of the processes waits for that.
      gatherCommitsMs: process.name.startsWith('coordinator-2') ? 250 : 0,
    },
  });
  const sql = sqlAs('paddock_service');
  const services = await startSimServices({
    config,
    bus,
    sql,
    world,
    partitions,
    clock,
    log,
    telemetry,
  });
  await host.start();
  return {
    process,
    host,
    drain: async () => {
      await host.drain();
      await services[Symbol.asyncDispose]();
      await bus.connection.drain();
    },
  };
}
