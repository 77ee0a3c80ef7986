import type { Sql } from '../../../infra/ports/sql.ts';
import { Broker } from '../broker/broker.ts';
import { DurableStore } from '../broker/durable-store.ts';
import { SimDatabase } from '../database/sim-database.ts';
import { type DatabaseCopy, partitionsKept } from '../database/sim-server.ts';
import { FaultPlan } from '../faults/fault-plan.ts';
import { LockWaits } from '../faults/lock-waits.ts';
import { Weather, windowMs } from '../faults/weather.ts';
import { Kernel } from '../kernel/kernel.ts';
import { SimProcess } from '../kernel/sim-process.ts';
import type { Trace } from '../kernel/trace.ts';
import { amnestyMs, ClientHistory } from '../oracle/client-history.ts';
import {
  type Commit,
  CommitModel,
  type KnownRun,
  type RunWitness,
} from '../oracle/commit-model.ts';
import { RunLimits } from '../oracle/run-limits.ts';
import { StreamWitness } from '../oracle/stream-witness.ts';
import { Violations } from '../oracle/violations.ts';
import { Calibration } from '../report/calibration.ts';
import { Counters } from '../report/counters.ts';
import { createObjectMemory } from '../service/object-memory.ts';
import { liveRules } from '../service/settings.ts';
import { SimCluster } from '../service/sim-cluster.ts';
import type { SimWorld } from '../service/sim-world.ts';
import { Http } from './http.ts';
import { ownMiners } from './ownership.ts';
import type { ParticipantDeps } from './participant.ts';
import { seedSuites } from './seed-suite.ts';

/** 08:00 in Los Angeles, four hours before the first close. */
const startMs = Date.UTC(2026, 6, 8, 15);

/** Everything of one seed: the world, its service, its witnesses. */
export class SimSession implements AsyncDisposable {
  readonly kernel: Kernel;
  readonly broker: Broker;
  readonly durables: DurableStore;
  readonly stream = new StreamWitness();
  readonly cluster: SimCluster;
  readonly weather: Weather;
  readonly faults: FaultPlan;
  readonly history: ClientHistory;
  readonly model: CommitModel;
  readonly violations: Violations;
  readonly counters = new Counters();
  /** The product's own counts. */
  readonly metrics = new Map<string, number>();
  readonly participants: ParticipantDeps;
  readonly #database: SimDatabase;
  /** When each partition was taken last; the domain's clock. */
  readonly #takenMs = new Map<string, number>();

  constructor(options: {
    readonly seed: number;
    readonly database: DatabaseCopy;
    readonly trace: Trace;
  }) {
    const { seed, trace } = options;
    const kernel = new Kernel({ seed, startMs, trace });
    this.kernel = kernel;
    const { counters } = this;
    this.violations = new Violations(kernel);
    const clients = new SimProcess(kernel, 'clients');
    this.weather = new Weather({
      kernel,
      counters,
      kill: (process) => this.cluster.kill(process, kernel.random.between(200, 6_000)),
    });
    const limits = new RunLimits({
      ...{ limits: liveRules, weather: this.weather, violations: this.violations, amnestyMs },
      takenMs: (part) => this.#takenMs.get(`eval/${part}`) ?? 0,
    });
    const witness: RunWitness = {
      onRaceOpened: () => this.history.pins.raceOpened(),
      onRaceClosed: (ids, atMs) => this.history.pins.raceClosed(ids, atMs),
      onStaled: (run, atMs) => {
        this.#staled(run, atMs);
        limits.ended(run, atMs);
      },
      onSign: (run, atMs, leaseUntilMs) => {
        this.history.signed(run.evalRunId, atMs, Number(leaseUntilMs ?? 0));
        limits.lives(run, atMs);
      },
      onOwnLeft: () => counters.add('claims beside own work'),
    };
    this.model = new CommitModel(this.violations, witness, ownMiners);
    this.history = new ClientHistory({
      ...{ kernel, counters, violations: this.violations, model: () => this.model },
      isLeaseMoved: () => this.weather.hasEverBeenBad,
      onAlive: (run, atMs) => limits.lives(run, atMs),
      onProgress: (run, sentAtMs) => limits.progressed(run, sentAtMs),
    });
    this.broker = new Broker(kernel);
    const locks = new LockWaits(kernel, this.weather, this.history.promisedMs);
    const durables = new DurableStore(this.broker, this.weather, (message, atMs) =>
      this.stream.stored(message, atMs),
    );
    this.durables = durables;
    this.#database = new SimDatabase(kernel, {
      copy: options.database,
      onCommit: (commit) => this.#committed(commit),
      onFailure: (statement, error) => this.#failed(statement, error),
      onTakeover: (kind, part) => this.#takenMs.set(`${kind}/${part}`, kernel.domainNowMs),
      onBeat: (evalRunId, untilMs) => this.history.kept(evalRunId, untilMs),
      onSent: (statement, commits) => locks.of(statement, commits),
    });
    const world: SimWorld = {
      ...{ kernel, broker: this.broker, durables, database: this.#database },
      databaseWeather: this.weather,
      objects: createObjectMemory(),
      counts: this.metrics,
      onPublished: (process) => this.weather.onPublished(process),
      log: (process, level, message, fields) => {
        const { error } = fields as { error?: unknown };
        const told = error instanceof Error ? ` (${error.message})` : '';
        trace.note(`${level} ${process.name}: ${message}${told}`);
      },
    };
    this.cluster = new SimCluster(world);
    const { cluster, weather, broker } = this;
    this.faults = new FaultPlan({ kernel, cluster, broker, durables, weather, counters });
    const http = new Http({ clients, edges: () => cluster.edges, weather });
    this.participants = {
      ...{ kernel, http, counters, clock: clients.clock, calibration: new Calibration(counters) },
      ...{ history: this.history, model: this.model, violations: this.violations },
      wasDisturbed: () => weather.hasEverBeenBad,
    };
  }

  async open(): Promise<void> {
    await seedSuites(this.sql);
    for (const name of ['edge-1', 'edge-2']) this.cluster.start('edge', name);
    for (const name of ['coordinator-1', 'coordinator-2']) this.cluster.start('coordinator', name);
    await this.untilHealthy();
  }

  /** The superuser's, for witnesses. Takes no time of the world. */
  get sql(): Sql {
    return this.#database.now();
  }

  /** Every process is there and runs, and somebody serves each partition. */
  async untilHealthy(withinMs = 40_000): Promise<void> {
    const isHealthy = () => {
      const { cluster } = this;
      const processes = [...cluster.processes('coordinator'), ...cluster.processes('edge')];
      // One that is stopped still thinks that all is well.
      if (processes.some(({ isPaused }) => isPaused)) return false;
      const served = cluster.hosts.reduce((sum, host) => sum + host.partitions().length, 0);
      const isWhole = cluster.coordinators.length >= 2 && cluster.edges.length >= 2;
      return isWhole && served >= partitionsKept && cluster.hosts.every((host) => host.isCertain());
    };
    const isDone = await this.kernel.run({ ms: withinMs, isDone: isHealthy });
    if (isDone) return;
    const { coordinators, edges } = this.cluster;
    const hosts = coordinators.map(
      ({ process, host }) => `${process.name} serves ${host.partitions().length}`,
    );
    const names = [...edges.map(({ process }) => process.name), ...hosts];
    this.violations.add('SIM', `the service is not whole again: ${names.join(', ')}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database[Symbol.asyncDispose]();
  }

  #staled(run: KnownRun, atMs: number): void {
    this.counters.add('work reclaimed');
    this.counters.add(`runs ended by ${run.end?.reason}`);
    const takenMs = this.#takenMs.get(`eval/${run.part}`);
    if (takenMs === undefined) {
      this.violations.add(
        'SIM',
        `nobody was seen to take partition ${run.part}, which has an owner`,
      );
      return;
    }
    this.history.staled(run, { atMs, takenMs, weather: this.weather });
    const promisedMs = this.history.promisedMs.get(run.evalRunId) ?? 0;
    if (run.end?.reason !== 'LEASE_EXPIRED') return;
    if (this.cluster.wasDarkAt(promisedMs)) this.counters.add('leases that ended in the dark');
    const isNew = atMs < takenMs + windowMs;
    if (isNew || this.weather.isOwed(promisedMs, atMs)) {
      const why = isNew ? 'its owner was new' : 'an outage had just been over';
      this.violations.add('INV-06', `run ${run.evalRunId} went stale while ${why}`);
    }
  }

  #committed(commit: Omit<Commit, 'atMs'>): void {
    this.counters.add('commits');
    this.model.apply({ ...commit, atMs: this.kernel.domainNowMs });
  }

  #failed(statement: string, error: unknown): void {
    const { code = '' } = error as { code?: string };
    if (code === 'P0FEN') this.counters.add('commits refused by the fence');
    if (code === 'P0EXP') this.counters.add('commits refused by the lease');
    this.kernel.trace.note(`${statement} failed with ${code}`);
  }
}
