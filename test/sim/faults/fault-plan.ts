import type { Broker } from '../broker/broker.ts';
import type { DurableStore } from '../broker/durable-store.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Prng } from '../kernel/prng.ts';
import type { SimProcess } from '../kernel/sim-process.ts';
import type { Counters } from '../report/counters.ts';
import type { SimCluster } from '../service/sim-cluster.ts';
import type { CrashPoint, Weather } from './weather.ts';

export interface FaultDeps {
  readonly kernel: Kernel;
  readonly cluster: SimCluster;
  readonly broker: Broker;
  readonly durables: DurableStore;
  readonly weather: Weather;
  readonly counters: Counters;
}

interface Fault {
  readonly name: string;
  readonly weight: number;
  /** Milliseconds until it is over, or undefined where it could not happen now. */
  strike(): number | undefined;
}

const everyCrashPoint: readonly [CrashPoint, ...CrashPoint[]] = [
  'before-commit',
  'after-commit',
  'after-publish',
  'after-reply',
  'stopped-at-commit',
];

/** Strikes every few seconds of the world while it is told to, with one fault or two at once. */
export class FaultPlan {
  readonly #deps: FaultDeps;
  readonly #random: Prng;
  readonly #faults: readonly Fault[];
  #isOn = false;
  #turn = 0;
  crashPoints: readonly [CrashPoint, ...CrashPoint[]] = everyCrashPoint;
  /** Of all faults these alone, by name. */
  onlyNames: readonly string[] | undefined;

  constructor(deps: FaultDeps) {
    this.#deps = deps;
    this.#random = deps.kernel.randomFor('faults');
    this.#faults = this.#all();
  }

  start(): void {
    this.#isOn = true;
    this.#turn += 1;
    this.#deps.weather.turnBad();
    this.#next(this.#turn);
  }

  /** Everything heals; what was killed comes back by itself. */
  stop(): void {
    this.#isOn = false;
    this.#deps.weather.turnFine();
  }

  /** Every host is wrong about the time by up to an hour, from now on. */
  skewClocks(): void {
    const { cluster } = this.#deps;
    for (const process of [...cluster.processes('coordinator'), ...cluster.processes('edge')]) {
      process.skewMs = this.#random.between(-3_600_000, 3_600_000);
    }
  }

  #next(turn: number): void {
    const { kernel } = this.#deps;
    kernel.after(this.#random.between(1_500, 9_000), 'fault', () => {
      if (!this.#isOn || turn !== this.#turn) return;
      this.#strike();
      if (this.#random.happens(200)) this.#strike();
      this.#next(turn);
    });
  }

  #strike(): void {
    const { counters, kernel, weather } = this.#deps;
    const faults = this.#faults.filter(({ name }) => this.onlyNames?.includes(name) ?? true);
    const total = faults.reduce((sum, { weight }) => sum + weight, 0);
    let roll = this.#random.below(total);
    const fault = faults.find(({ weight }) => {
      roll -= weight;
      return roll < 0;
    });
    const lastsMs = fault?.strike();
    if (fault === undefined || lastsMs === undefined) return;
    counters.add(`fault: ${fault.name}`);
    kernel.trace.note(`fault: ${fault.name} for ${lastsMs} ms`);
    weather.disturbed(lastsMs);
  }

  #all(): readonly Fault[] {
    const { broker, cluster, durables, weather, kernel } = this.#deps;
    const random = this.#random;
    const one = (kind: 'coordinator' | 'edge') => random.choose(cluster.processes(kind));
    const kill = (process: SimProcess | undefined) => {
      const restartMs = random.between(200, 6_000);
      if (process === undefined) return undefined;
      cluster.kill(process, restartMs);
      return restartMs + settleMs;
    };
    const pause = (process: SimProcess | undefined, maxMs: number) => {
      const ms = random.between(500, maxMs);
      process?.pause(ms);
      return process && ms + settleMs;
    };
    return [
      { name: 'coordinator killed', weight: 14, strike: () => kill(one('coordinator')) },
      {
        name: 'edge killed',
        weight: 6,
        strike: () => {
          const process = one('edge');
          if (process !== undefined && cluster.isHeard(process)) weather.edgeGone();
          return kill(process);
        },
      },
      { name: 'coordinator stopped', weight: 14, strike: () => pause(one('coordinator'), 12_000) },
      { name: 'edge stopped', weight: 5, strike: () => pause(one('edge'), 6_000) },
      {
        name: 'coordinator drained',
        weight: 6,
        strike: () => {
          const process = one('coordinator');
          if (process !== undefined) cluster.drain(process, 500);
          return process && settleMs;
        },
      },
      {
        name: 'version replaced',
        weight: 3,
        strike: () => {
          const gapMs = random.between(0, 8_000);
          const floorAfterMs = random.between(0, 20_000);
          cluster.upgrade({ gapMs, floorAfterMs });
          return Math.max(gapMs * cluster.processes('coordinator').length, floorAfterMs) + settleMs;
        },
      },
      {
        name: 'total darkness',
        weight: 3,
        strike: () => {
          const restartMs = random.between(1_000, 30_000);
          for (const process of cluster.processes('coordinator')) {
            cluster.kill(process, restartMs + random.between(0, 500));
          }
          return restartMs + settleMs;
        },
      },
      {
        name: 'broker died',
        weight: 8,
        strike: () => {
          const ms = random.between(100, 5_000);
          // Who is stopped meanwhile cannot tell how long it was.
          const isSeen = !cluster.processes('coordinator').some(({ isPaused }) => isPaused);
          if (broker.isUp && ms > noticedMs && isSeen) weather.brokerAway(ms);
          broker.die(ms);
          return ms + settleMs;
        },
      },
      {
        name: 'durable store deleted',
        weight: 5,
        strike: () => {
          broker.die(random.between(50, 500));
          durables.wipe();
          return settleMs;
        },
      },
      {
        name: 'database away',
        weight: 6,
        strike: () => {
          const ms = random.between(100, 4_000);
          weather.databaseDown(ms);
          return ms + settleMs;
        },
      },
      {
        name: 'wall clock jumped',
        weight: 4,
        strike: () => {
          const process = one(random.happens(500) ? 'edge' : 'coordinator');
          if (process === undefined) return undefined;
          process.skewMs = random.between(-20_000, 20_000);
          // A supervisor of clocks puts it right again, one time in four after more than any lease.
          const wrongMs = random.happens(250)
            ? random.between(30_000, 60_000)
            : random.between(1_000, 8_000);
          kernel.after(wrongMs, `${process.name} has the time`, () => {
            process.skewMs = 0;
          });
          return settleMs;
        },
      },
      {
        name: 'crash planned',
        weight: 14,
        strike: () => {
          weather.crashAt(random.choose(this.crashPoints));
          return settleMs;
        },
      },
    ];
  }
}

/** Shorter outages are none: no heartbeat is lost for good. */
const noticedMs = 1_000;
/** Until takeovers are over and what was given time has used it up. */
const settleMs = 6_000;
