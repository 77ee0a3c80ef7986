import { createCommandBus } from '../../../infra/nats/command-bus.ts';
import { OutageWatch } from '../../../infra/nats/outage-watch.ts';
import { createPartitionBus } from '../../../infra/nats/partition-bus.ts';
import { createServiceBus } from '../../../infra/nats/service-bus.ts';
import { Sharing } from '../../../infra/nats/sharing.ts';
import type {
  CommandBus,
  MessageBus,
  PartitionBus,
  ServiceBus,
  SharedWork,
} from '../../../infra/ports/bus.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { Telemetry } from '../../../infra/ports/telemetry.ts';
import type { DatabaseRole } from '../../../infra/postgres/client.ts';
import { silentTelemetry } from '../../support/silent-telemetry.ts';
import type { Broker } from '../broker/broker.ts';
import { BrokerConnection } from '../broker/broker-connection.ts';
import { createDurableBus } from '../broker/durable-bus.ts';
import type { DurableStore } from '../broker/durable-store.ts';
import { DatabaseLink, type DatabaseWeather } from '../database/database-link.ts';
import type { SimDatabase } from '../database/sim-database.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { SimProcess } from '../kernel/sim-process.ts';
import type { ObjectMemory } from './object-memory.ts';

/** What processes of the simulated world share. */
export interface SimWorld {
  readonly kernel: Kernel;
  readonly broker: Broker;
  readonly durables: DurableStore;
  readonly database: SimDatabase;
  readonly databaseWeather: DatabaseWeather;
  readonly objects: ObjectMemory;
  /** Counts that the product keeps of itself, by name. */
  readonly counts: Map<string, number>;
  /** A message has left a process, whatever becomes of it. */
  readonly onPublished: (process: SimProcess) => void;
  readonly log: (process: SimProcess, level: string, message: string, fields: object) => void;
}

export interface SimBus {
  readonly connection: BrokerConnection;
  readonly commands: CommandBus;
  readonly services: ServiceBus;
  readonly partitions: PartitionBus;
  readonly messages: MessageBus;
  readonly sharing: SharedWork;
}

export interface ProcessPorts {
  readonly bus: SimBus;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  sqlAs(role: DatabaseRole): Sql;
}

/** One process's ports to everything outside of it. */
export function connectProcess(world: SimWorld, process: SimProcess): ProcessPorts {
  const { broker, durables: store, counts } = world;
  const link = new DatabaseLink(process, world.databaseWeather);
  const log = logOf(world, process);
  const telemetry: Telemetry = {
    ...silentTelemetry,
    count: (name, by = 1) => void counts.set(name, (counts.get(name) ?? 0) + by),
  };
  const connection = new BrokerConnection(broker, process);
  const nats = connection.asNats();
  const { clock } = process;
  const outages = new OutageWatch(nats, clock);
  const sharing = new Sharing({ connection: nats, clock, log });
  const common = { connection: nats, clock, log, telemetry };
  return {
    log,
    telemetry,
    sqlAs: (role) => world.database.sqlFor(link, role),
    bus: {
      connection,
      commands: createCommandBus({
        ...common,
        // The same for the same seed, and another for each life of the process.
        inbox: `_INBOX.${process.name}.${process.kernel.nowUs}`,
        // Between two events of the world there is no other turn.
        soon: queueMicrotask,
      }),
      sharing,
      services: createServiceBus({ ...common, sharing }),
      partitions: createPartitionBus({ connection: nats, outages, log }),
      messages: createDurableBus({
        ...{ broker, store, connection, process, sharing, onPublished: world.onPublished },
      }),
    },
  };
}

function logOf(world: SimWorld, process: SimProcess): Logger {
  const say =
    (level: string) =>
    (message: string, fields: object = {}) =>
      world.log(process, level, message, fields);
  const log: Logger = {
    ...{ debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') },
    with: () => log,
  };
  return log;
}
