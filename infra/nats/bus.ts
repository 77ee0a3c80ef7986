import type { NatsConnection } from 'nats';
import type { CommandBus, MessageBus, PartitionBus, ServiceBus, SharedWork } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/log.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import { createCommandBus } from './command-bus.ts';
import { createMessageBus } from './message-bus.ts';
import { OutageWatch } from './outage-watch.ts';
import { createPartitionBus } from './partition-bus.ts';
import { createServiceBus } from './service-bus.ts';
import { Sharing } from './sharing.ts';
import { ensureStreams, type StreamOptions } from './streams.ts';

export interface BusOptions {
  readonly connection: NatsConnection;
  readonly streams: StreamOptions;
  /** See MessageBusDeps. */
  readonly branch?: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  /** See MessageBusDeps. */
  readonly silenceMs?: number;
}

export interface Bus {
  readonly commands: CommandBus;
  readonly services: ServiceBus;
  readonly partitions: PartitionBus;
  readonly messages: MessageBus;
  /** Of `services` and `messages`. */
  readonly sharing: SharedWork;
}

/** Everything a process may do with one connection. An edge uses `createCommandBus` alone. */
export async function createBus(options: BusOptions): Promise<Bus> {
  const { connection, clock, log, telemetry } = options;
  const outages = new OutageWatch(connection, clock);
  const { genesis } = options.streams;
  const whose = genesis === undefined ? {} : { genesis };
  const from = genesis === undefined ? {} : { genesis: () => genesis };
  const sharing = new Sharing({ connection, clock, log });
  const silence = options.silenceMs === undefined ? {} : { silenceMs: options.silenceMs };
  return {
    commands: createCommandBus({ connection, clock, telemetry, ...from }),
    services: createServiceBus({ connection, clock, log, telemetry, sharing, ...whose }),
    partitions: createPartitionBus({ connection, outages, log, ...whose }),
    sharing,
    messages: await createMessageBus({
      connection,
      outages,
      sharing,
      clock,
      log,
      telemetry,
      branch: options.branch ?? 0,
      ...whose,
      ensureStreams: () => ensureStreams(connection, options.streams),
      ...silence,
    }),
  };
}
