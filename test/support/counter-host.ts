import { randomUUID } from 'node:crypto';
import type { NatsConnection } from 'nats';
import { createHost, type Host } from '../../actors/runtime/host.ts';
import type { PartitionKind } from '../../actors/runtime/partition-actor.ts';
import type { RuntimePolicy } from '../../actors/runtime/policy.ts';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { type Bus, createBus } from '../../infra/nats/bus.ts';
import { connectNats } from '../../infra/nats/connect.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { MembershipStore } from '../../infra/ports/membership-store.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import { closeSql, createSql } from '../../infra/postgres/client.ts';
import { createMembershipStore } from '../../infra/postgres/membership-store.ts';
import { createOutboxStore } from '../../infra/postgres/outbox-store.ts';
import { createPartitionStore } from '../../infra/postgres/partition-store.ts';
import { counterKind } from './counter-kind.ts';
import { silentLogger, silentTelemetry } from './silent-telemetry.ts';

/** The defaults, several times faster. */
export const quickPolicy: Partial<RuntimePolicy> = {
  leaseMs: 1_500,
  renewEveryMs: 250,
  calmMs: 400,
  placeEveryMs: 200,
  dueEveryMs: 50,
  flushEveryMs: 500,
  sweepEveryMs: 250,
  sweepAfterMs: 1_000,
  ackWaitMs: 2_000,
};

export interface HostSetup {
  readonly memberId: string;
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly kind?: (sql: Sql) => PartitionKind;
  readonly policy?: Partial<RuntimePolicy>;
  readonly log?: Logger;
  readonly telemetry?: Telemetry;
  readonly silenceMs?: number;
  readonly watchesEdges?: boolean;
  /** Stands between the host and its membership. */
  readonly between?: (members: MembershipStore) => MembershipStore;
}

export interface RunningHost {
  readonly host: Host;
  readonly bus: Bus;
  readonly connection: NatsConnection;
  readonly sql: Sql;
  close(): Promise<void>;
}

/** One host with its own connections, as a process would have them. */
export async function startHost(setup: HostSetup): Promise<RunningHost> {
  const url = setup.databaseUrl;
  const role = 'paddock_actor';
  const { memberId } = setup;
  const sql = createSql({ url, applicationName: `${memberId} commits`, role });
  const leases = createSql({ url, applicationName: `${memberId} leases`, role, max: 2 });
  const connection = await connectNats({ url: setup.natsUrl, name: memberId });
  const log = setup.log ?? (process.env['TEST_LOG'] === undefined ? silentLogger : loudLogger);
  const bus = await createBus({
    ...{ connection, clock: systemClock, log, telemetry: silentTelemetry },
    streams: { replicas: 1 },
    silenceMs: setup.silenceMs ?? 2_000,
  });
  const host = createHost({
    memberId,
    kinds: [(setup.kind ?? counterKind)(sql)],
    partitions: createPartitionStore(sql),
    members: (setup.between ?? direct)(createMembershipStore(leases)),
    outbox: createOutboxStore(sql),
    bus: bus.partitions,
    messages: bus.messages,
    sharing: bus.sharing,
    ...{ clock: systemClock, log, telemetry: setup.telemetry ?? silentTelemetry },
    newIncarnation: randomUUID,
    watchesEdges: setup.watchesEdges === true,
    policy: { ...quickPolicy, ...setup.policy },
  });
  await host.start();
  const close = async () => {
    await host.stop();
    await connection.close();
    await Promise.all([closeSql(sql), closeSql(leases)]);
  };
  return { host, bus, connection, sql, close };
}

const direct = (members: MembershipStore) => members;

/** TEST_LOG=1 shows what the hosts say. */
const say = (message: string, fields?: object) => console.error(message, fields ?? '');
const loudLogger: Logger = {
  ...{ debug: say, info: say, warn: say, error: say },
  with: () => loudLogger,
};
