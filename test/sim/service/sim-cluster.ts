import type { Host } from '../../../actors/runtime/host.ts';
import { SimProcess } from '../kernel/sim-process.ts';
import { type SimCoordinator, startSimCoordinator } from './sim-coordinator.ts';
import { type SimEdge, startSimEdge } from './sim-edge.ts';
import type { SimWorld } from './sim-world.ts';

type Kind = 'coordinator' | 'edge';

interface Running<T> {
  readonly process: SimProcess;
  /** Undefined while it starts. */
  started: T | undefined;
}

/** The processes of the service: a supervisor starts again what ended, as in production. */
export class SimCluster {
  readonly #world: SimWorld;
  readonly #coordinators = new Map<string, Running<SimCoordinator>>();
  readonly #edges = new Map<string, Running<SimEdge>>();
  /** When no coordinator was there; the domain's clock. */
  readonly #dark: { readonly fromMs: number; toMs: number }[] = [];
  #starts = 0;
  /** Of the coordinators that start from now on. */
  #codeVersion = 1;

  constructor(world: SimWorld) {
    this.#world = world;
  }

  get edges(): readonly SimEdge[] {
    return [...this.#edges.values()].flatMap(({ process, started }) =>
      process.isAlive && started !== undefined ? [started] : [],
    );
  }

  get coordinators(): readonly SimCoordinator[] {
    return [...this.#coordinators.values()].flatMap(({ process, started }) =>
      process.isAlive && started !== undefined ? [started] : [],
    );
  }

  get hosts(): readonly Host[] {
    return this.coordinators.map(({ host }) => host);
  }

  /** Those that are alive, started or not. */
  processes(kind: Kind): readonly SimProcess[] {
    const all = kind === 'edge' ? this.#edges : this.#coordinators;
    return [...all.values()].map(({ process }) => process).filter(({ isAlive }) => isAlive);
  }

  /** Whether every coordinator that runs has heard of this edge for certain. */
  isHeard(edge: SimProcess): boolean {
    const runs = this.edges.some(({ process }) => process === edge);
    return runs && edge.isSteadyFor(speaksByMs);
  }

  /** Whether nobody was there to end a lease that ended then. */
  wasDarkAt(ms: number): boolean {
    return this.#dark.some(({ fromMs, toMs }) => ms >= fromMs && ms < toMs);
  }

  start(kind: Kind, name: string): void {
    this.#starts += 1;
    const process = new SimProcess(this.#world.kernel, `${name}.${this.#starts}`);
    if (kind === 'edge') {
      this.#begin(this.#edges, name, { process, start: () => startSimEdge(this.#world, process) });
    } else {
      const codeVersion = this.#codeVersion;
      const start = () => startSimCoordinator(this.#world, process, codeVersion);
      this.#begin(this.#coordinators, name, { process, start });
    }
  }

  /** SIGKILL, and a supervisor that starts it again. */
  kill(process: SimProcess, restartMs: number): void {
    if (!process.isAlive) return;
    process.kill();
    this.#lookForDarkness();
    const [name = ''] = process.name.split('.');
    const kind: Kind = name.startsWith('edge') ? 'edge' : 'coordinator';
    this.#world.kernel.after(restartMs, `${name} is started again`, () => this.start(kind, name));
  }

  /** SIGTERM: leaves in good order, but no later than its supervisor's patience. */
  drain(process: SimProcess, restartMs: number): void {
    const [name = ''] = process.name.split('.');
    const running = this.#coordinators.get(name)?.started ?? this.#edges.get(name)?.started;
    if (running?.process !== process) return;
    void running.drain().then(() => {
      process.kernel.after(0, `${process.name} has left`, () => this.kill(process, restartMs));
    });
    process.kernel.after(drainMs, `${process.name} is ended`, () => this.kill(process, restartMs));
  }

  /**
   * A new version in place of the old one, a coordinator after the other. Whatever the old one owns
   * then, from some moment on only the new one may take a partition, as when it writes what the old
   * one cannot read.
   */
  upgrade({
    gapMs,
    floorAfterMs,
  }: {
    readonly gapMs: number;
    readonly floorAfterMs: number;
  }): void {
    const { kernel, database } = this.#world;
    this.#codeVersion += 1;
    const version = this.#codeVersion;
    for (const [index, old] of this.processes('coordinator').entries()) {
      kernel.after(index * gapMs, `${old.name} is upgraded`, () => this.#replace(old));
    }
    kernel.after(floorAfterMs, `the floor is ${version}`, async () => {
      await database.now()`update rt.partition set version_floor = greatest(version_floor, ${version})`;
    });
  }

  #replace(process: SimProcess): void {
    const hasStarted = this.coordinators.some((each) => each.process === process);
    if (hasStarted) this.drain(process, 500);
    else this.kill(process, 500);
  }

  #lookForDarkness(): void {
    const nowMs = this.#world.kernel.domainNowMs;
    const last = this.#dark.at(-1);
    const isDark = last?.toMs === Number.POSITIVE_INFINITY;
    const nobody = this.coordinators.length === 0;
    if (nobody && !isDark) this.#dark.push({ fromMs: nowMs, toMs: Number.POSITIVE_INFINITY });
    if (!nobody && isDark) last.toMs = nowMs;
  }

  #begin<T>(
    all: Map<string, Running<T>>,
    name: string,
    { process, start }: { readonly process: SimProcess; readonly start: () => Promise<T> },
  ): void {
    const running: Running<T> = { process, started: undefined };
    all.set(name, running);
    const begin = () => {
      start().then(
        (started) => {
          running.started = started;
          this.#lookForDarkness();
        },
        // Ends with an error, as apps/*/main.ts does when a neighbour is away; started again.
        () => this.kill(process, restartAfterErrorMs),
      );
    };
    process.resume(0, 'starts', begin);
  }
}

/** Edges speak once a second from their start, or from the moment at which they go on. */
const speaksByMs = 5_000;
const drainMs = 10_000;
const restartAfterErrorMs = 500;
