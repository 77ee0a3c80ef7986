import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startNeighbours } from '../../../../apps/world/embedded.ts';
import { type OperatorClient, operatorClient } from '../../../../apps/world/operator-client.ts';
import { worldSecrets } from '../../../../apps/world/secrets.ts';
import { type RunningService, startService } from '../../../../apps/world/start-service.ts';
import { systemClock } from '../../../../infra/clock/system-clock.ts';
import { freePort } from '../../../../infra/local/free-port.ts';
import { type LocalNats, startNats } from '../../../../infra/local/nats.ts';
import { startPostgres } from '../../../../infra/local/postgres.ts';
import type { Sql } from '../../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../../infra/postgres/client.ts';
import { loginUrl } from '../../../../infra/postgres/logins.ts';
import { startProxy, type TcpProxy } from '../../../chaos/net/proxy.ts';
import { Dead } from '../../../chaos/world/dead.ts';
import { MortalServer } from '../../../chaos/world/servers.ts';
import { serviceNodeOptions } from '../../../support/profiled.ts';
import { openLimits } from '../../../support/service-world.ts';
import { systemEnv } from '../../../support/system-env.ts';
import { temporaryFolder } from '../../../support/temporary-servers.ts';

export interface FaultWorldOptions {
  readonly edges: number;
  readonly coordinators: number;
  /** Of the service's processes. */
  readonly env?: Readonly<Record<string, string>>;
  /** Counts the statements of each role in pg_stat_statements, which costs a little of each. */
  readonly countsStatements?: boolean;
  /** The service reaches its database through a line that can be made slow. */
  readonly hasSlowLine?: boolean;
}

/**
 * The service as it really runs, with a database and a broker that can be killed. Both come back at the
 * port that they had, and nothing stands on the lines between (unless asked for): what is measured is
 * the service.
 */
export interface FaultWorld extends AsyncDisposable {
  readonly dataDir: string;
  readonly service: RunningService;
  readonly operator: OperatorClient;
  /** As superuser; not by the line that can be slow. */
  readonly sql: Sql;
  readonly postgres: MortalServer;
  readonly nats: MortalServer;
  readonly line: TcpProxy | undefined;
  /** Who may not be started again yet. */
  readonly dead: Dead;
}

const startMs = 60_000;

export async function startFaultWorld(options: FaultWorldOptions): Promise<FaultWorld> {
  await using stack = new AsyncDisposableStack();
  const dataDir = await temporaryFolder();
  if (process.env['KEEP_DATA'] === undefined) {
    stack.defer(() =>
      rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }),
    );
  }
  await mkdir(join(dataDir, 'logs'));
  const postgres = stack.adopt(await ownPostgres(dataDir), (it) => it.stop());
  const nats = await ownNats(dataDir);
  stack.adopt(nats.server, (it) => it.stop());
  const databaseUrl = `postgres://postgres@127.0.0.1:${postgres.port}/postgres`;
  const database = { url: databaseUrl, applicationName: 'bench', statementTimeoutMs: 0 };
  if (options.countsStatements === true) await countStatements(database, postgres);
  const sql = stack.adopt(createSql({ ...database, max: 4 }), closeSql);

  const secrets = await worldSecrets(dataDir);
  const env = { ...systemEnv(), NODE_OPTIONS: serviceNodeOptions(), ...openLimits, ...options.env };
  const given = { DATABASE_URL: databaseUrl, NATS_URL: nats.urls.edge };
  const started = { dataDir, secrets, env: { ...env, ...given }, onReady: () => undefined };
  const neighbours = stack.use(await startNeighbours(started));
  const line =
    options.hasSlowLine === true
      ? stack.adopt(await startProxy(() => postgres.port), (it) => it.stop())
      : undefined;
  const dead = new Dead();
  const service = stack.use(
    await startService({
      ...{ edges: options.edges, coordinators: options.coordinators, dataDir, secrets, env },
      ...{ port: 0, defaults: {}, neighbours, signal: AbortSignal.timeout(startMs) },
      envOf: (name) => accessOf(name, { port: line?.port ?? postgres.port, urls: nats.urls }),
      onRestart: (name) => dead.untilReleased(name),
    }),
  );
  stack.defer(() => dead.releaseAll());
  const [baseUrl] = service.baseUrls;
  const operator = operatorClient({ baseUrl, token: service.operatorToken, clock: systemClock });
  const owned = stack.move();
  return {
    ...{ dataDir, service, operator, sql, postgres, nats: nats.server, line, dead },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Each kind of process gets in with its own rights, as in production. */
function accessOf(
  name: string,
  { port, urls }: { readonly port: number; readonly urls: LocalNats['urls'] },
): Readonly<Record<string, string>> {
  const kind = name.startsWith('edge') ? 'edge' : 'coordinator';
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  return { DATABASE_URL: loginUrl(url, kind), NATS_URL: urls[kind] };
}

/** With fsync, and at one port for good. */
async function ownPostgres(dataDir: string): Promise<MortalServer> {
  const log = join(dataDir, 'logs', 'postgres.log');
  const port = await freePort();
  return MortalServer.start(() => startPostgres({ dataDir: join(dataDir, 'postgres'), log, port }));
}

async function ownNats(dataDir: string) {
  const log = join(dataDir, 'logs', 'nats.log');
  const port = await freePort();
  const passwords = { edge: 'edge', coordinator: 'coordinator' };
  const start = () => startNats({ storeDir: join(dataDir, 'nats'), log, port, passwords });
  const urlOf = (kind: keyof typeof passwords) =>
    `nats://${kind}:${passwords[kind]}@127.0.0.1:${port}`;
  const urls = { edge: urlOf('edge'), coordinator: urlOf('coordinator') };
  return { server: await MortalServer.start(start), urls };
}

/** The library is loaded at a start of the server only. */
async function countStatements(
  database: { readonly url: string; readonly applicationName: string },
  postgres: MortalServer,
): Promise<void> {
  const sql = createSql({ ...database, max: 1 });
  await sql`alter system set shared_preload_libraries = 'pg_stat_statements'`;
  await closeSql(sql);
  await postgres.outage('SIGINT', 0);
  const again = createSql({ ...database, max: 1 });
  await again`create extension pg_stat_statements`;
  await closeSql(again);
}
