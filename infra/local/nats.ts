import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { randomHex } from '../ids/ids.ts';
import { pingIntervalMs, pingsOutMax } from '../nats/connect.ts';
import { streamBytesMax } from '../nats/streams.ts';
import { startChild, untilReady } from './child.ts';
import type { LogSink } from './child-output.ts';
import { natsBinary } from './nats-binary.ts';

/** A nats-server of ours on loopback, with JetStream. */
export interface LocalNats {
  /** Without a name: whoever may look into this machine's loopback may do everything. */
  readonly url: string;
  /** By name and password, with the rights of a kind of process and no others. */
  readonly urls: { readonly edge: string; readonly coordinator: string };
  readonly port: number;
  readonly monitorPort: number;
  readonly pid: number;
  /** Settles when the server has ended, asked or not. */
  readonly exited: Promise<unknown>;
  /** For fault tests. */
  kill(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

export interface NatsOptions {
  /** Streams live here and survive a restart. */
  readonly storeDir: string;
  /** Free ones when left out. */
  readonly port?: number;
  readonly monitorPort?: number;
  /** The program to run; else the embedded one, else the one in PATH. */
  readonly serverBin?: string;
  readonly log?: LogSink;
  /** New ones when left out; named to start again for clients that know the old ones. */
  readonly passwords?: Passwords;
  /** False only where the data is thrown away anyway: a crash of the machine may lose messages. */
  readonly fsync?: boolean;
}

type Ports = Pick<LocalNats, 'port' | 'monitorPort'>;

const readyMs = 30_000;
/** The server picks a free port itself. */
const anyPort = -1;

export async function startNats(options: NatsOptions): Promise<LocalNats> {
  const storeDir = resolve(options.storeDir);
  const command = await natsBinary(options.serverBin);
  const runDir = join(storeDir, 'run');
  const configFile = join(storeDir, 'nats.conf');
  await rm(runDir, { recursive: true, force: true });
  await mkdir(runDir, { recursive: true });
  const passwords = options.passwords ?? { edge: randomHex(16), coordinator: randomHex(16) };
  const text = await configText({ ...options, storeDir }, { runDir, passwords });
  // A server that reads its file again must not meet one that others could read.
  await rm(configFile, { force: true });
  await writeFile(configFile, text, { mode: 0o600 });

  const child = await startChild({
    name: 'nats-server',
    command,
    args: ['--config', configFile],
    ...(options.log !== undefined && { log: options.log }),
    pidFile: join(storeDir, 'paddock.pid'),
  });
  const ready = { name: 'nats-server', readyMs };
  const ports = await untilReady(child, ready, () => readPorts(runDir));
  const { pid, exited, kill, stop } = child;
  const urlOf = (who: string) => `nats://${who}127.0.0.1:${ports.port}`;
  const urls = {
    edge: urlOf(`edge:${passwords.edge}@`),
    coordinator: urlOf(`coordinator:${passwords.coordinator}@`),
  };
  return { url: urlOf(''), urls, ...ports, pid, exited, kill, stop };
}

/** The same lines as in production, so that whatever runs here would run there. */
const rights = new URL('../compose/nats-rights.conf', import.meta.url);

async function configText(
  options: NatsOptions,
  { runDir, passwords }: { readonly runDir: string; readonly passwords: Passwords },
): Promise<string> {
  const settings = {
    host: '127.0.0.1',
    port: options.port ?? anyPort,
    http: `127.0.0.1:${options.monitorPort ?? anyPort}`,
    ports_file_dir: runDir,
    max_payload: 1_048_576,
    ping_interval: `${pingIntervalMs}ms`,
    ping_max: pingsOutMax,
    jetstream: {
      store_dir: options.storeDir,
      // By itself it takes three quarters of what is free, and on a small disk refuses streams that reserve more
      // than they will ever hold.
      max_file: streamBytesMax(),
      // An acknowledged message is on disk: by default it would be there two minutes later.
      sync_interval: (options.fsync ?? true) ? 'always' : '2m',
    },
  };
  // A value in JSON is a value in the server's own language too.
  const lines = Object.entries(settings).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  const users = Object.entries(passwords).map(([user, password]) => {
    return `{ user: ${user}, password: "${password}", permissions: $${user.toUpperCase()}_RIGHTS }`;
  });
  // For people and programs, who are told of an address and of no password.
  const stranger = `{ user: anybody, password: "${randomHex(16)}" }`;
  const access = [
    await readFile(rights, 'utf8'),
    'no_auth_user: anybody',
    `authorization { users: [\n${[...users, stranger].join('\n')}\n] }`,
  ];
  return `${[...lines, ...access].join('\n')}\n`;
}

type Passwords = Readonly<Record<'edge' | 'coordinator', string>>;

const portsFile = z.object({ nats: z.tuple([z.string()]), monitoring: z.tuple([z.string()]) });

/** The ports the server listens on, from the file it writes as soon as it does. */
async function readPorts(runDir: string): Promise<Ports | undefined> {
  const name = (await readdir(runDir)).find((file) => file.endsWith('.ports'));
  if (name === undefined) return undefined;
  try {
    const { nats, monitoring } = portsFile.parse(
      JSON.parse(await readFile(join(runDir, name), 'utf8')),
    );
    return { port: portOf(nats[0]), monitorPort: portOf(monitoring[0]) };
  } catch (error) {
    // Read while it was being written: the next look finds all of it.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
