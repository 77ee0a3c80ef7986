import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { systemClock } from '../clock/system-clock.ts';
import { type Child, startChild, untilReady } from './child.ts';
import type { LogSink } from './child-output.ts';
import { freePort } from './free-port.ts';
import { postgresBinaries } from './postgres-binaries.ts';
import { giveTo, type PostgresUser, postgresUser } from './postgres-user.ts';
import { commandLineOf } from './process-facts.ts';

/** A PostgreSQL server of ours on loopback, without passwords. */
export interface LocalPostgres {
  /** As superuser, in the database `postgres`. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Settles when the server has ended, asked or not. */
  readonly exited: Promise<unknown>;
  /** For fault tests. The server's own workers end by themselves when it is killed. */
  kill(signal: NodeJS.Signals): void;
  /** Ends the sessions, writes a checkpoint and returns when the server is gone. */
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Made at the first start; what a crash left behind is recovered at the next. */
  readonly dataDir: string;
  /** A free one when left out. */
  readonly port?: number;
  readonly log?: LogSink;
  /** False only where the data is thrown away anyway: a crash of the machine may corrupt it. */
  readonly fsync?: boolean;
  /** 200 when left out: three edges, three coordinators and their operators, three times over. */
  readonly maxConnections?: number;
  /** Of the server, over ours: `shared_preload_libraries` for a look into it. */
  readonly settings?: Readonly<Record<string, string>>;
}

interface Cluster {
  readonly dataDir: string;
  readonly user: PostgresUser;
  readonly log: LogSink | undefined;
}

// Recovery of a gigabyte of log takes seconds; an ordinary start takes 50 ms.
const readyMs = 60_000;
const retryMs = 100;
const triesMax = 50;

export async function startPostgres(options: PostgresOptions): Promise<LocalPostgres> {
  const dataDir = resolve(options.dataDir);
  const binaries = await postgresBinaries();
  const cluster: Cluster = { dataDir, user: await postgresUser(dataDir), log: options.log };
  if (!existsSync(join(dataDir, 'PG_VERSION'))) await createCluster(cluster, binaries.initdb);
  await giveTo(cluster.user, dataDir);
  await forgetStrangersPid(dataDir);

  for (let tries = 1; ; tries += 1) {
    const port = options.port ?? (await freePort());
    try {
      const { fsync = true, maxConnections = 200, settings = {} } = options;
      const args = serverArgs({ dataDir, port, fsync, maxConnections, settings });
      const server = await launch(cluster, binaries.postgres, args);
      const { pid, exited, kill, stop } = server;
      return {
        url: `postgres://postgres@127.0.0.1:${port}/postgres`,
        port,
        pid,
        exited,
        kill,
        stop,
      };
    } catch (error) {
      if (tries === triesMax || !willPass(error, options)) throw error;
      await systemClock.sleep(retryMs);
    }
  }
}

async function createCluster({ dataDir, user }: Cluster, initdb: string): Promise<void> {
  // Made aside and moved whole, so that a start cut short leaves nothing that looks like a cluster.
  const unfinished = `${dataDir}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  await giveTo(user, unfinished);
  const args = [
    '--no-sync',
    '--locale=C',
    '--encoding=UTF8',
    '--auth=trust',
    '--username=postgres',
  ];
  const command = { name: 'initdb', command: initdb, args: [...args, '-D', unfinished] };
  const child = await startChild({ ...command, ...through(user), cwd: '/' });
  const { code } = await child.exited;
  if (code !== 0) throw new Error(`a database could not be made in ${dataDir}:\n${child.tail()}`);
  try {
    await rename(unfinished, dataDir);
  } catch (cause) {
    throw new Error(`${dataDir} holds something else than a PostgreSQL database`, { cause });
  }
}

const through = ({ through }: PostgresUser) => (through === undefined ? {} : { through });

async function launch(cluster: Cluster, command: string, args: readonly string[]): Promise<Child> {
  const { dataDir, user, log } = cluster;
  const child = await startChild({
    name: 'PostgreSQL',
    command,
    args,
    ...through(user),
    cwd: dataDir,
    ...(log !== undefined && { log }),
    pidFile: join(dataDir, 'paddock.pid'),
    // The fast shutdown: SIGTERM would wait until every client has left by itself.
    stopSignal: 'SIGINT',
  });
  await untilReady(child, { name: 'PostgreSQL', readyMs }, () => saysReady(dataDir, child.pid));
  return child;
}

interface ServerSettings {
  readonly dataDir: string;
  readonly port: number;
  readonly fsync: boolean;
  readonly maxConnections: number;
  readonly settings: Readonly<Record<string, string>>;
}

function serverArgs(server: ServerSettings): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: server.port,
    // The path of a socket is bounded at 107 bytes, that of a data folder is not.
    unix_socket_directories: '',
    max_connections: server.maxConnections,
    shared_buffers: '128MB',
    max_wal_size: '1GB',
    random_page_cost: 1.1,
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
    ...(!server.fsync && { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
    ...server.settings,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', server.dataDir, ...flags];
}

/** Line 8 of the server's own pid file is its word that it accepts connections (pg_ctl reads it). */
async function saysReady(dataDir: string, pid: number): Promise<true | undefined> {
  const lines = await pidFileLines(dataDir);
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready' ? true : undefined;
}

// After a crash the number in the pid file may belong to some other process by now, above all in
// a container, where few numbers are in use; PostgreSQL would then refuse to start for ever. The
// file of a process that is simply gone stays: it tells whether workers of that server still run.
async function forgetStrangersPid(dataDir: string): Promise<void> {
  const [pid] = await pidFileLines(dataDir);
  const commandLine = await commandLineOf(Number(pid));
  const isStranger = commandLine !== '' && !commandLine.includes(dataDir);
  if (isStranger) await rm(pidFileOf(dataDir), { force: true });
}

async function pidFileLines(dataDir: string): Promise<string[]> {
  try {
    return (await readFile(pidFileOf(dataDir), 'utf8')).split('\n');
  } catch {
    return [];
  }
}

function pidFileOf(dataDir: string): string {
  return join(dataDir, 'postmaster.pid');
}

/** A free port can be taken before we use it, and workers of a killed server need a moment to go. */
function willPass(error: unknown, options: PostgresOptions): boolean {
  const text = String(error);
  if (text.includes('shared memory block')) return true;
  return options.port === undefined && text.includes('its port is already in use');
}
