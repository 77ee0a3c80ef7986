import { existsSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { randomHex } from '../../../infra/ids/ids.ts';
import { startNats } from '../../../infra/local/nats.ts';
import { startPostgres } from '../../../infra/local/postgres.ts';

interface RunningServer {
  readonly port: number;
  readonly exited: Promise<unknown>;
  kill(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

/** A server that is killed and comes back with what was on its disk, on another port. */
export class MortalServer {
  #running: RunningServer;
  #isDown = false;
  readonly #start: () => Promise<RunningServer>;

  private constructor(running: RunningServer, start: () => Promise<RunningServer>) {
    this.#running = running;
    this.#start = start;
  }

  static async start(start: () => Promise<RunningServer>): Promise<MortalServer> {
    return new MortalServer(await start(), start);
  }

  get port(): number {
    return this.#running.port;
  }

  get isDown(): boolean {
    return this.#isDown;
  }

  /** Settles when the server that runs now has ended, asked or not. */
  get exited(): Promise<unknown> {
    return this.#running.exited;
  }

  signal(signal: NodeJS.Signals): void {
    this.#running.kill(signal);
  }

  /** Dead for so long at least; `meanwhile` happens while nobody has its files open. */
  async outage(signal: NodeJS.Signals, ms: number, meanwhile = nothing): Promise<void> {
    this.#isDown = true;
    this.#running.kill(signal);
    await this.#running.exited;
    await meanwhile();
    await systemClock.sleep(ms);
    this.#running = await this.#start();
    this.#isDown = false;
  }

  async stop(): Promise<void> {
    await this.#running.stop();
  }
}

const nothing = async (): Promise<void> => undefined;

/** As in production: with fsync. */
export function mortalPostgres(dataDir: string): Promise<MortalServer> {
  const log = join(dataDir, 'logs', 'postgres.log');
  return MortalServer.start(() => startPostgres({ dataDir: join(dataDir, 'postgres'), log }));
}

export interface MortalNats {
  readonly server: MortalServer;
  /** How each kind of process gets in, whatever the port. */
  readonly passwords: { readonly edge: string; readonly coordinator: string };
  /** All that JetStream ever stored. */
  forget(): Promise<void>;
  /** Keeps a copy of what JetStream has stored; the server must be down. */
  remember(): Promise<void>;
  /** Whether there is a copy. */
  readonly remembers: boolean;
  /** Puts the copy where the store was, as who restores a backup does; the server must be down. */
  recall(): Promise<void>;
}

export async function mortalNats(dataDir: string): Promise<MortalNats> {
  const storeDir = join(dataDir, 'nats');
  const log = join(dataDir, 'logs', 'nats.log');
  const passwords = { edge: randomHex(16), coordinator: randomHex(16) };
  const store = join(storeDir, 'jetstream');
  const copy = join(dataDir, 'nats-copy');
  const replace = async (to: string, from: string) => {
    await rm(to, { recursive: true, force: true });
    await cp(from, to, { recursive: true });
  };
  let remembers = false;
  return {
    server: await MortalServer.start(() => startNats({ storeDir, log, passwords })),
    passwords,
    forget: () => rm(store, { recursive: true, force: true }),
    remember: async () => {
      // Killed before it stored anything.
      if (!existsSync(store)) return;
      await replace(copy, store);
      remembers = true;
    },
    get remembers() {
      return remembers;
    },
    recall: () => replace(store, copy),
  };
}
