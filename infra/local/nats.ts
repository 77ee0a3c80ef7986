import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { startChild, untilReady } from './child.ts';
import type { LogSink } from './child-output.ts';
import { natsBinary } from './nats-binary.ts';

/** A nats-server of ours on loopback, with JetStream. */
export interface LocalNats {
  readonly url: string;
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
  await writeFile(configFile, configText({ ...options, storeDir }, runDir));

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
  return { url: `nats://127.0.0.1:${ports.port}`, ...ports, pid, exited, kill, stop };
}

function configText(options: NatsOptions, runDir: string): string {
  // A value in JSON is a value in the server's own language too.
  const lines = {
    host: '127.0.0.1',
    port: options.port ?? anyPort,
    http: `127.0.0.1:${options.monitorPort ?? anyPort}`,
    ports_file_dir: runDir,
    max_payload: 1_048_576,
    jetstream: {
      store_dir: options.storeDir,
      // An acknowledged message is on disk: by default it would be there two minutes later.
      sync_interval: (options.fsync ?? true) ? 'always' : '2m',
    },
  };
  return `${JSON.stringify(lines, null, 2)}\n`;
}

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
