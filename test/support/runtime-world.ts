import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { createBus } from '../../infra/nats/bus.ts';
import { connectNats } from '../../infra/nats/connect.ts';
import { testDatabase } from './cluster.ts';
import { type HostSetup, type RunningHost, startHost } from './counter-host.ts';
import { installCounters } from './counter-kind.ts';
import { silentLogger, silentTelemetry } from './silent-telemetry.ts';
import { temporaryNats } from './temporary-servers.ts';

/** A database and a broker of one test file, with the counters installed. */
export async function startWorld(partitions: number) {
  const [{ url: databaseUrl, sql }, firstNats] = await Promise.all([
    testDatabase(),
    temporaryNats(),
  ]);
  let nats = firstNats;
  await installCounters(sql, partitions);
  const connection = await connectNats({ url: nats.url, name: 'test' });
  const edge = await createBus({
    ...{ connection, clock: systemClock, log: silentLogger, telemetry: silentTelemetry },
    streams: { replicas: 1 },
  });
  const opened: RunningHost[] = [];
  return {
    sql,
    edge,
    connection,
    databaseUrl,
    natsUrl: nats.url,
    async host(memberId: string, setup: Partial<HostSetup> = {}): Promise<RunningHost> {
      const host = await startHost({ memberId, databaseUrl, natsUrl: nats.url, ...setup });
      opened.push(host);
      return host;
    },
    add: (part: number, key: string, options: AddOptions = {}) =>
      edge.commands.command(
        { kind: 'counter', part },
        {
          id: options.id ?? randomUUID(),
          type: options.type ?? 'add',
          body: { key, by: options.by ?? 1, to: options.to ?? 0 },
          account: 'tester',
        },
      ) as Promise<{ value: number; seq: number }>,
    /** Who owns each partition, by the database. */
    async owners(): Promise<(string | null)[]> {
      const rows = await sql<{ owner: string | null }[]>`
        select owner from rt.partition order by part`;
      return rows.map((row) => row.owner);
    },
    /** The broker answers nobody, or goes on. */
    signalNats: (signal: 'SIGSTOP' | 'SIGCONT') => process.kill(nats.pid, signal),
    /** Stops the broker with everything it stored, and starts an empty one on the same port. */
    async wipeNats(): Promise<void> {
      await nats.stop();
      nats = await temporaryNats({ port: nats.port });
    },
    async stop(): Promise<void> {
      await Promise.all(opened.map((host) => host.close()));
      await connection.close();
      await nats.stop();
    },
  };
}

interface AddOptions {
  readonly by?: number;
  readonly id?: string;
  readonly type?: string;
  readonly to?: number;
}

export type World = Awaited<ReturnType<typeof startWorld>>;

/**
 * Polls until `read` gives what `accept` takes; for what other processes do in their own time. As with
 * `until`, the limit says that something never happens.
 */
export async function eventually<T>(
  read: () => Promise<T> | T,
  accept: (value: T) => boolean,
  withinMs = 60_000,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const value = await read();
    if (accept(value)) return value;
    if (Date.now() > deadline) throw new Error(`not in time; at last: ${JSON.stringify(value)}`);
    await sleep(20);
  }
}
