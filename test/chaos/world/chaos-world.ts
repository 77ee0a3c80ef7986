import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startNeighbours } from '../../../apps/world/embedded.ts';
import { type OperatorClient, operatorClient } from '../../../apps/world/operator-client.ts';
import type { KeptProcess, ProcessEnd } from '../../../apps/world/process-group.ts';
import { worldSecrets } from '../../../apps/world/secrets.ts';
import { type RunningService, startService } from '../../../apps/world/start-service.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { freePort } from '../../../infra/local/free-port.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { loginUrl } from '../../../infra/postgres/logins.ts';
import { openLimits } from '../../support/service-world.ts';
import { systemEnv } from '../../support/system-env.ts';
import { temporaryFolder } from '../../support/temporary-servers.ts';
import { startProxy, type TcpProxy } from '../net/proxy.ts';
import { Dead } from './dead.ts';
import { type MortalNats, type MortalServer, mortalNats, mortalPostgres } from './servers.ts';

export interface ChaosWorldOptions {
  readonly edges: number;
  readonly coordinators: number;
  /** Of the service's processes; whatever is named, also what is no setting of ours. */
  readonly env: Readonly<Record<string, string>>;
  /** Told of the database as superuser, after migrating and before any process starts. */
  readonly afterMigrate?: ((databaseUrl: string) => Promise<void>) | undefined;
  readonly onRestart: (name: string, end: ProcessEnd) => void;
  /** The installed checkout that a process is of at its next start; this one unless told. */
  readonly releaseRootOf?: ((name: string) => string) | undefined;
}

/** One process of the service, and its own ways to its neighbours. */
export interface ChaosProcess {
  readonly name: string;
  readonly kind: 'coordinator' | 'edge';
  readonly kept: KeptProcess;
  readonly metricsPort: number;
  readonly postgres: TcpProxy;
  readonly nats: TcpProxy;
  /** Clients come through it; only edges have one. */
  readonly door: TcpProxy | undefined;
}

/** The service as it really runs, with a proxy of ours on every line. */
export interface ChaosWorld extends AsyncDisposable {
  readonly dataDir: string;
  readonly operator: OperatorClient;
  /** As superuser, by a line that no fault touches. */
  readonly sql: Sql;
  /**
   * Once the servers die no more. postgres.js 3.4.9 tells the last words of a server that died during
   * a query to the first query of the connection's next life, however much later: a check that hears
   * them has checked nothing.
   */
  clearStaleErrors(): Promise<void>;
  /** Edges, as clients reach them. */
  readonly baseUrls: readonly string[];
  readonly processes: readonly ChaosProcess[];
  readonly postgres: MortalServer;
  readonly nats: MortalNats;
  readonly store: TcpProxy;
  readonly chain: TcpProxy;
  /** Who may not be started again yet. */
  readonly dead: Dead;
}

const startMs = 90_000;
const sqlMax = 4;

export async function startChaosWorld(options: ChaosWorldOptions): Promise<ChaosWorld> {
  await using stack = new AsyncDisposableStack();
  const dataDir = await temporaryFolder();
  if (process.env['KEEP_DATA'] === undefined) {
    stack.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 10 }));
  }
  await mkdir(join(dataDir, 'logs'));
  const proxy = async (port: () => number) =>
    stack.adopt(await startProxy(port), (it) => it.stop());
  const stopped = (it: MortalServer) => it.stop();
  const postgres = stack.adopt(await mortalPostgres(dataDir), stopped);
  const nats = await mortalNats(dataDir);
  stack.adopt(nats.server, stopped);
  const own = await proxy(() => postgres.port);
  const databaseUrl = `postgres://postgres@127.0.0.1:${own.port}/postgres`;

  const secrets = await worldSecrets(dataDir);
  const given = { DATABASE_URL: databaseUrl, NATS_URL: `nats://127.0.0.1:${nats.server.port}` };
  const env = { ...systemEnv(), ...openLimits, ...options.env };
  const started = { dataDir, secrets, env: { ...env, ...given }, onReady: () => undefined };
  const neighbours = stack.use(await startNeighbours(started));
  await options.afterMigrate?.(databaseUrl);
  const store = await proxy(() => Number(new URL(neighbours.s3Endpoint).port));
  const chain = await proxy(() => Number(new URL(neighbours.chainUrl).port));

  const lines = await linesOf(options, { postgres, nats }, proxy);
  const dead = new Dead();
  const service = stack.use(
    await startService({
      ...{ edges: options.edges, coordinators: options.coordinators, dataDir, secrets, env },
      ...{ port: 0, defaults: {}, signal: AbortSignal.timeout(startMs) },
      neighbours: {
        ...neighbours,
        s3Endpoint: throughProxy(neighbours.s3Endpoint, store),
        chainUrl: throughProxy(neighbours.chainUrl, chain),
      },
      envOf: (name) => ({ ...options.env, ...lines.get(name)?.env }),
      releaseRootOf: options.releaseRootOf,
      async onRestart(name, end) {
        options.onRestart(name, end);
        await dead.untilReleased(name);
      },
    }),
  );
  stack.defer(() => dead.releaseAll());
  const sqlOptions = {
    url: databaseUrl,
    applicationName: 'chaos',
    statementTimeoutMs: 0,
    max: sqlMax,
  };
  const sql = stack.adopt(createSql(sqlOptions), closeSql);
  const processes = await withDoors(service, lines, proxy);
  const { operatorToken: token, baseUrls } = service;
  const operator = operatorClient({ baseUrl: baseUrls[0], token, clock: systemClock });
  const kept = stack.move();
  return {
    ...{ dataDir, operator, sql, processes, postgres, nats, store, chain, dead },
    async clearStaleErrors() {
      // Long enough that each takes a connection of its own.
      const each = () => sql`select pg_sleep(0.2)`;
      await Promise.allSettled(Array.from({ length: sqlMax }, each));
    },
    baseUrls: processes.flatMap(({ door }) =>
      door === undefined ? [] : [`http://127.0.0.1:${door.port}`],
    ),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function throughProxy(url: string, { port }: TcpProxy): string {
  const { protocol, hostname } = new URL(url);
  return `${protocol}//${hostname}:${port}`;
}

interface Line {
  readonly kind: ChaosProcess['kind'];
  readonly metricsPort: number;
  readonly postgres: TcpProxy;
  readonly nats: TcpProxy;
  readonly env: Readonly<Record<string, string>>;
}

type NewProxy = (port: () => number) => Promise<TcpProxy>;

/** Names as `startService` gives them. */
async function linesOf(
  { edges, coordinators }: ChaosWorldOptions,
  { postgres, nats }: Pick<ChaosWorld, 'postgres' | 'nats'>,
  newProxy: NewProxy,
): Promise<ReadonlyMap<string, Line>> {
  const named = [
    ...Array.from({ length: edges }, (_, index) => ['edge', index + 1] as const),
    ...Array.from({ length: coordinators }, (_, index) => ['coordinator', index + 1] as const),
  ];
  const lines = new Map<string, Line>();
  for (const [kind, number] of named) {
    const database = await newProxy(() => postgres.port);
    const broker = await newProxy(() => nats.server.port);
    const metricsPort = await freePort();
    lines.set(`${kind}-${number}`, {
      ...{ kind, metricsPort, postgres: database, nats: broker },
      env: {
        DATABASE_URL: loginUrl(`postgres://postgres@127.0.0.1:${database.port}/postgres`, kind),
        NATS_URL: `nats://${kind}:${nats.passwords[kind]}@127.0.0.1:${broker.port}`,
        METRICS_PORT: String(metricsPort),
      },
    });
  }
  return lines;
}

async function withDoors(
  { edges, coordinators, baseUrls }: RunningService,
  lines: ReadonlyMap<string, Line>,
  newProxy: NewProxy,
): Promise<readonly ChaosProcess[]> {
  const processes: ChaosProcess[] = [];
  for (const kept of [...edges, ...coordinators]) {
    const line = lines.get(kept.name);
    if (line === undefined) throw new Error(`${kept.name} has no lines`);
    // Processes come in the order in which they were started, which need not be that of the ports.
    const url = baseUrls[Number(kept.name.split('-')[1]) - 1];
    const isEdge = line.kind === 'edge' && url !== undefined;
    const door = isEdge ? await newProxy(() => Number(new URL(url).port)) : undefined;
    processes.push({ name: kept.name, kept, door, ...line });
  }
  return processes;
}
