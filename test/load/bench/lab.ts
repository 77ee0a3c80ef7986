import { submitAgent } from '../../../apps/world/participants/simulated-miner.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { inParallel } from '../../support/in-parallel.ts';
import { agentCode } from '../../support/lifecycle-load.ts';
import {
  clientOf,
  type OpenSuite,
  openSuite,
  registerKeys,
  type ServiceWorld,
  type ServiceWorldOptions,
  startServiceWorld,
} from '../../support/service-world.ts';
import { until } from '../../support/until.ts';
import type { CpuUs } from '../measurement.ts';
import { ownCpuUs, treeCpuUs } from '../process-cpu.ts';
import { type Asker, startAsker } from './asking.ts';
import type { Plot } from './plot.ts';

/** The service under measurement, with a suite and validators that may claim. */
export interface Product {
  readonly world: ServiceWorld;
  readonly suite: OpenSuite;
  readonly plan: ProductPlan;
  /**
   * Submits versions until so many more runs can be claimed, and waits until that is to be read:
   * what is measured next must not pay for it.
   */
  supply(runs: number): Promise<void>;
  /** CPU microseconds of each kind of process so far; only differences mean anything. */
  cpuUs(): CpuUs;
}

export interface ProductPlan {
  readonly edges: number;
  readonly coordinators: number;
  readonly taskCount: number;
  readonly requiredSuccesses: number;
  readonly validators: number;
  readonly runsPerValidator: number;
  readonly env: Readonly<Record<string, string>>;
}

const usualPlan: ProductPlan = {
  edges: 1,
  coordinators: 1,
  taskCount: 1,
  requiredSuccesses: 20,
  validators: 400,
  runsPerValidator: 10,
  env: {},
};

const seed = 1;
const minerCount = 50;
const settleMs = 120_000;

/** What all blocks share: one product with its servers, one asker, and what was drawn. */
export class Lab implements AsyncDisposable {
  readonly isQuick: boolean;
  /** Of two sides in alternation. */
  readonly rounds: number;
  /** Of a coordinator, where somebody asks for a number. */
  readonly kills: number | undefined;
  /** Finished runs at the most, where somebody asks for a number. */
  readonly history: number | undefined;
  readonly say: (text: string) => void;
  readonly #plots: Plot[] = [];
  readonly #stack = new AsyncDisposableStack();
  #product: Promise<Product> | undefined;
  #asker: Promise<Asker> | undefined;

  constructor(options: {
    readonly isQuick: boolean;
    readonly rounds: number;
    readonly kills?: number | undefined;
    readonly history?: number | undefined;
    readonly say: (text: string) => void;
  }) {
    this.isQuick = options.isQuick;
    this.rounds = options.rounds;
    this.kills = options.kills;
    this.history = options.history;
    this.say = options.say;
  }

  /** Either of the two, by how long the run may take. */
  sized<T>(quick: T, full: T): T {
    return this.isQuick ? quick : full;
  }

  /** Started when it is first asked for, and the same one for every block. */
  product(): Promise<Product> {
    this.#product ??= this.#own(startProduct({}));
    return this.#product;
  }

  /** One of the caller's, for what the shared one must not suffer; the caller disposes of it. */
  ownProduct(plan: Partial<ProductPlan>): Promise<Product & AsyncDisposable> {
    return startProduct(plan);
  }

  asker(): Promise<Asker> {
    this.#asker ??= this.#own(startAsker());
    return this.#asker;
  }

  /** A new database on the product's server, for a peer or a floor, gone with the server. */
  async database(name: string): Promise<{ readonly url: string; readonly sql: Sql }> {
    const { world } = await this.product();
    const database = `bench_${name}`;
    const found = await world.sql`select 1 from pg_database where datname = ${database}`;
    if (found.length === 0) await world.sql`create database ${world.sql(database)}`;
    const url = new URL(world.neighbours.databaseUrl);
    url.pathname = `/${database}`;
    const options = { url: url.href, applicationName: 'bench', statementTimeoutMs: 0, max: 4 };
    const sql = this.#stack.adopt(createSql(options), closeSql);
    return { url: url.href, sql };
  }

  /** For the page. */
  plot(plot: Plot): void {
    this.#plots.push(plot);
  }

  takePlots(): readonly Plot[] {
    return this.#plots.splice(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  async #own<T extends AsyncDisposable>(starting: Promise<T>): Promise<T> {
    return this.#stack.use(await starting);
  }
}

async function startProduct(options: Partial<ProductPlan>): Promise<Product & AsyncDisposable> {
  const plan = { ...usualPlan, ...options };
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await startServiceWorld(worldOptions(plan)));
  const suite = await openSuite(world, plan);
  const miners = await registerKeys(world, 'miner', { count: minerCount, seed });
  await registerKeys(world, 'validator', { count: plan.validators, seed });
  const clients = miners.map((keypair) => clientOf(world, keypair));
  const owned = stack.move();
  let versions = 0;
  return {
    ...{ world, suite, plan },
    async supply(runs) {
      await inParallel(
        8,
        Array.from({ length: Math.ceil(runs / plan.requiredSuccesses) }),
        async () => {
          const number = versions++;
          const client = clients[number % clients.length];
          if (client === undefined) throw new Error('there are no miners');
          const miner = { who: client.hotkey, client, onEvent: () => undefined };
          const file = { agentName: `agent-${number}`, code: agentCode(number) };
          const id = await submitAgent(miner, file);
          if (id === undefined) throw new Error('a submission was refused');
        },
      );
      await untilCaughtUp(world.sql);
    },
    cpuUs: () => cpuOf(world),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function worldOptions({
  edges,
  coordinators,
  runsPerValidator,
  env,
}: ProductPlan): ServiceWorldOptions {
  return {
    ...{ edges, coordinators },
    // Leases outlive whatever is measured, unless a block says otherwise.
    env: { MAX_CONCURRENT_RUNS: String(runsPerValidator), LEASE_SECONDS: '900', ...env },
  };
}

/** Nothing that was committed is still to be told. */
export async function untilCaughtUp(sql: Sql): Promise<void> {
  await until(async () => {
    const [row] = await sql<{ waiting: number }[]>`
      select count(*)::integer as waiting from rt.outbox`;
    return row?.waiting === 0;
  }, settleMs);
}

/** The object store and the chain live in this process, and cost it what they cost. */
function cpuOf({ service, neighbours }: ServiceWorld): CpuUs {
  return {
    edge: cpuUsOf(service.edges.map(({ pid }) => pid)),
    coordinator: cpuUsOf(service.coordinators.map(({ pid }) => pid)),
    postgres: cpuUsOf([neighbours.pids.postgres]),
    nats: cpuUsOf([neighbours.pids.nats]),
    'S3, chain': ownCpuUs(),
  };
}

/** Of these processes and what they started, together. */
export function cpuUsOf(pids: readonly (number | null | undefined)[]): number {
  return pids.reduce<number>((sum, pid) => sum + (pid ? (treeCpuUs(pid) ?? 0) : 0), 0);
}

/** What each kind of process spent in between, for each of so many operations. */
export function cpuUsPerOperation(before: CpuUs, after: CpuUs, operations: number): CpuUs {
  return Object.fromEntries(
    Object.entries(after).map(([who, us]) => [who, (us - (before[who] ?? 0)) / operations]),
  );
}

/** In words, for a note. */
export function cpuText(cpuUs: CpuUs): string {
  const parts = Object.entries(cpuUs).map(([who, us]) => `${who} ${us.toFixed(0)}`);
  return `CPU µs per operation: ${parts.join(', ')}`;
}
