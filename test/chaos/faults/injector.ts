import { systemClock } from '../../../infra/clock/system-clock.ts';
import { signalProcess } from '../../support/coordinator-faults.ts';
import { nowMs } from '../clients/history.ts';
import type { TcpProxy } from '../net/proxy.ts';
import type { ChaosProcess, ChaosWorld } from '../world/chaos-world.ts';
import { describeFault, type Fault, type Line, type LineFault } from './fault-plan.ts';

/** A fault as it really happened. Times are Unix milliseconds. */
export interface Injected {
  readonly fault: Fault;
  readonly startMs: number;
  /** Of the fault itself, not of what it leads to. */
  endMs: number;
  /** Partitions of `eval` whose owner was its victim. */
  readonly partitions: ReadonlySet<number>;
  /** What it was to befall was already down. */
  wasIdle: boolean;
}

/** Does the faults of a plan to a world, and ends what it began. */
export class Injector {
  readonly injected: Injected[] = [];
  /** Processes that ended, or will, because it said so. */
  readonly toldToEnd = new Set<number>();
  readonly #world: ChaosWorld;
  readonly #say: (line: string) => void;
  readonly #underWay = new Set<Promise<void>>();
  readonly #frozen = new Set<number>();
  readonly #misbehaving = new Map<TcpProxy, number>();
  #isNatsFrozen = false;

  constructor(world: ChaosWorld, say: (line: string) => void) {
    this.#world = world;
    this.#say = say;
  }

  /** Until the signal aborts; returns when every fault has ended. */
  async run(plan: Iterable<Fault>, ending: AbortSignal): Promise<void> {
    const startMs = nowMs();
    for (const fault of plan) {
      await systemClock.sleep(Math.max(0, startMs + fault.atMs - nowMs()), ending);
      if (ending.aborted) break;
      await this.#begin(fault);
    }
    await Promise.all(this.#underWay);
  }

  async #begin(fault: Fault): Promise<void> {
    const partitions = await this.#partitionsOf(fault);
    const injected: Injected = {
      ...{ fault, partitions, startMs: nowMs(), wasIdle: false },
      endMs: Number.POSITIVE_INFINITY,
    };
    this.injected.push(injected);
    const done = this.#do(fault)
      .catch((error: unknown) => {
        this.#say(`fault ${fault.index} went wrong: ${String(error)}`);
        return false;
      })
      .then((hasHappened) => {
        injected.wasIdle = !hasHappened;
        injected.endMs = nowMs();
        this.#underWay.delete(done);
      });
    this.#underWay.add(done);
    this.#say(describeFault(fault));
  }

  /** False when there was nobody whom it could befall. */
  async #do(fault: Fault): Promise<boolean> {
    const { postgres, nats } = this.#world;
    switch (fault.kind) {
      case 'kill':
        return this.#end(this.#named(fault.who), 'SIGKILL');
      case 'terminate':
        return this.#end(this.#named(fault.who), 'SIGTERM');
      case 'freeze':
        return await this.#freeze(this.#named(fault.who), fault.ms);
      case 'darkness':
        return await this.#darken(fault.ms);
      case 'postgres killed':
        if (postgres.isDown) return false;
        await postgres.outage(fault.signal, fault.ms);
        return true;
      case 'nats killed':
        return await this.#killNats(fault.ms, () => nats.remember());
      case 'nats rolled back':
        return nats.remembers && (await this.#killNats(fault.ms, () => nats.recall()));
      case 'nats wiped':
        return await this.#killNats(fault.ms, () => nats.forget());
      case 'nats frozen':
        return await this.#freezeNats(fault.ms);
      case 'line': {
        const proxy = this.#lineOf(fault.line, fault.who);
        if (proxy !== undefined) await this.#misbehave(proxy, fault.how, fault.ms);
        return proxy !== undefined;
      }
    }
  }

  #lineOf(line: Line, who: string): TcpProxy | undefined {
    if (line === 'chain' || line === 'store') return this.#world[line];
    return this.#named(who)[line];
  }

  #named(name: string): ChaosProcess {
    const found = this.#world.processes.find((process) => process.name === name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  }

  #end({ kept }: ChaosProcess, signal: 'SIGKILL' | 'SIGTERM'): boolean {
    const { pid } = kept;
    const isThere = signalProcess(kept, signal);
    if (isThere) this.toldToEnd.add(pid);
    return isThere;
  }

  async #freeze({ kept }: ChaosProcess, ms: number): Promise<boolean> {
    const { pid } = kept;
    if (this.#frozen.has(pid) || !signalProcess(kept, 'SIGSTOP')) return false;
    this.#frozen.add(pid);
    await systemClock.sleep(ms);
    this.#frozen.delete(pid);
    // It may have been killed meanwhile, and another be in its place.
    signalProcess({ ...kept, pid }, 'SIGCONT');
    return true;
  }

  async #darken(ms: number): Promise<boolean> {
    const { processes, dead } = this.#world;
    const coordinators = processes.filter(({ kind }) => kind === 'coordinator');
    for (const coordinator of coordinators) {
      dead.hold(coordinator.name);
      this.#end(coordinator, 'SIGKILL');
    }
    await systemClock.sleep(ms);
    for (const { name } of coordinators) dead.release(name);
    return true;
  }

  async #killNats(ms: number, meanwhile: () => Promise<void>): Promise<boolean> {
    const { server } = this.#world.nats;
    if (server.isDown || this.#isNatsFrozen) return false;
    await server.outage('SIGKILL', ms, meanwhile);
    return true;
  }

  async #freezeNats(ms: number): Promise<boolean> {
    const { server } = this.#world.nats;
    if (server.isDown || this.#isNatsFrozen) return false;
    this.#isNatsFrozen = true;
    server.signal('SIGSTOP');
    await systemClock.sleep(ms);
    server.signal('SIGCONT');
    this.#isNatsFrozen = false;
    return true;
  }

  /** Two faults of one line may overlap: it is fair again when the last has ended. */
  async #misbehave(proxy: TcpProxy, how: LineFault, ms: number): Promise<void> {
    this.#misbehaving.set(proxy, (this.#misbehaving.get(proxy) ?? 0) + 1);
    disturbances[how](proxy);
    await systemClock.sleep(ms);
    const left = (this.#misbehaving.get(proxy) ?? 1) - 1;
    this.#misbehaving.set(proxy, left);
    if (left === 0) proxy.clear();
  }

  /** What its victim owns, as the database knows it: nothing when it cannot be asked. */
  async #partitionsOf(fault: Fault): Promise<ReadonlySet<number>> {
    if (!('who' in fault) || !fault.who.startsWith('coordinator')) return new Set();
    const asked = this.#world.sql<{ part: number }[]>`
      select part from rt.partition
      where kind = 'eval' and owner like ${`${fault.who}-%`}`.catch(() => []);
    const late = systemClock.sleep(500).then(() => []);
    return new Set((await Promise.race([asked, late])).map(({ part }) => part));
  }
}

const disturbances: Readonly<Record<LineFault, (proxy: TcpProxy) => void>> = {
  cut: (proxy) => proxy.cut(),
  delayed: (proxy) => proxy.delay(300),
  'held up': (proxy) => proxy.hold('up'),
  'held back': (proxy) => proxy.hold('down'),
  refused: (proxy) => {
    proxy.refuse();
    proxy.cut();
  },
  slow: (proxy) => proxy.throttle(20_000),
  stranded: (proxy) => proxy.strand(),
};
