import type { Subscription } from '../../infra/ports/bus.ts';
import type { Outlook } from '../../infra/ports/clock-follower.ts';
import type {
  ClaimedPartition,
  PartitionRow,
  SeenPartition,
} from '../../infra/ports/membership-store.ts';
import type { GaugeName } from '../../infra/ports/metrics.ts';
import type { ServedPartition } from './host.ts';
import type { PartitionKind, Takeover } from './partition-actor.ts';
import { type PartitionDeps, PartitionHost } from './partition-host.ts';
import { keyOf, planFor } from './placement.ts';
import { SharedCommits } from './shared-commits.ts';
import { within } from './within.ts';

export interface PartitionTableDeps extends Omit<PartitionDeps, 'commits' | 'kind' | 'onStopped'> {
  readonly kinds: readonly PartitionKind[];
  /** False while no heartbeat could come in: then nobody's silence is overdue. */
  readonly isReachable: () => boolean;
}

/** Of lots: while one is read, the next is claimed. */
const takeoversAtOnce = 2;

/** Which partitions this process serves, brought in line with where they belong. */
export class PartitionTable {
  readonly #deps: PartitionTableDeps;
  readonly #kinds: ReadonlyMap<string, PartitionKind>;
  readonly #sharing: ReadonlyMap<string, SharedCommits>;
  readonly #hosts = new Map<string, PartitionHost>();
  readonly #stops: (() => void)[] = [];
  #outages: Subscription | undefined;
  #placing: Promise<void> | undefined;
  #again = false;
  /** To be served here, and could not be loaded. */
  #failing: ReadonlySet<string> = new Set();
  #hasLooked = false;
  #stopped = false;
  #isHandingOver = false;
  #members = '';
  #calmSinceMs = 0;

  constructor(deps: PartitionTableDeps) {
    this.#deps = deps;
    this.#kinds = new Map(deps.kinds.map((kind) => [kind.kind, kind]));
    const sharing = deps.kinds.filter((kind) => kind.sharesCommits === true);
    this.#sharing = new Map(
      sharing.map(({ kind }) => [kind, new SharedCommits(deps.store, deps.clock, deps.policy)]),
    );
  }

  start(): void {
    const { bus, clock, policy, telemetry } = this.#deps;
    this.#stops.push(
      clock.every(policy.placeEveryMs, () => this.#place()),
      clock.every(policy.dueEveryMs, () => this.#tick()),
      clock.every(policy.flushEveryMs, () => this.#flush()),
      telemetry.gauge('paddock.partition.owned', () => this.#loaded()),
      telemetry.gauge('paddock.mailbox.depth', () => this.#depth()),
      ...this.#gaugesOfKinds(),
    );
    this.#outages = bus.onOutageEnd((outageMs) => this.forgive(outageMs));
    this.nudge();
  }

  /** Everything that is to be served here is, and that was seen. */
  get isSettled(): boolean {
    if (this.#stopped || !this.#hasLooked || this.#deps.membership.inDoubt()) return false;
    return this.#failing.size === 0 && this.#loaded() === this.#hosts.size;
  }

  /** One that is being loaded serves nobody yet, and may never. */
  #loaded(): number {
    return [...this.#hosts.values()].filter(({ isLoaded }) => isLoaded).length;
  }

  /** After an outage between the validators and here. */
  forgive(outageMs: number): void {
    if (outageMs < this.#deps.policy.outageMinMs) return;
    for (const host of this.#hosts.values()) host.extendDeadlines(outageMs);
  }

  /** What validators say comes later than before, by so much. */
  delay(byMs: number): void {
    for (const host of this.#hosts.values()) host.delayDeadlines(byMs);
  }

  /** Hands everything over, all at once. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#isHandingOver = true;
    for (const stop of this.#stops) stop();
    await this.#outages?.close();
    const { clock, policy } = this.#deps;
    // A silent broker confirms no subscription, and a placement waits for that.
    if (this.#placing !== undefined) await within(clock, policy.handOverMs, this.#placing);
    await Promise.all([...this.#hosts.values()].map((host) => host.handOver()));
  }

  /** Somebody came, left or gave a partition back. */
  nudge(): void {
    void this.#place();
  }

  abandon(): void {
    this.#stopped = true;
    this.dropAll();
  }

  dropAll(): void {
    for (const host of [...this.#hosts.values()]) host.drop();
  }

  served(): readonly ServedPartition[] {
    return [...this.#hosts.values()].map(({ token, waiting, stats }) => ({
      kind: token.kind,
      part: token.part,
      epoch: token.epoch,
      waiting,
      stats,
    }));
  }

  /** Begins with what is due now, and tells what is left to do and when there will be more. */
  outlook(): Outlook {
    this.#tick();
    const { bus, membership } = this.#deps;
    const hosts = [...this.#hosts.values()];
    const isHeard = this.#deps.isReachable() && bus.connected && !membership.inDoubt();
    const dues = hosts.flatMap((host) => host.nextDueMs ?? []);
    return {
      incarnation: membership.identity.incarnation,
      isIdle: isHeard && hosts.every((host) => host.isAtRest),
      nowMs: membership.nowMs(),
      nextDueMs: dues.length === 0 ? undefined : Math.min(...dues),
      partitions: hosts.length,
      epochSum: hosts.reduce((sum, { token }) => sum + token.epoch, 0),
    };
  }

  #depth(): number {
    return [...this.#hosts.values()].reduce((sum, host) => sum + host.waiting, 0);
  }

  #gaugesOfKinds(): (() => void)[] {
    return this.#deps.kinds.flatMap(({ kind, gauges = {} }) =>
      gaugeEntries(gauges).map(([name, stat]) =>
        this.#deps.telemetry.gauge(name, () => this.#sum(kind, stat), { kind }),
      ),
    );
  }

  #sum(kind: string, stat: string): number {
    const hosts = [...this.#hosts.values()].filter(({ ref }) => ref.kind === kind);
    return hosts.reduce((sum, { stats }) => sum + (stats[stat] ?? 0), 0);
  }

  #tick(): void {
    const isReachable = this.#deps.isReachable();
    for (const host of this.#hosts.values()) {
      const isDueAnyway = this.#kinds.get(host.ref.kind)?.isDueWithoutCallers === true;
      if (isReachable || isDueAnyway) host.tick();
    }
  }

  async #flush(): Promise<void> {
    for (const host of [...this.#hosts.values()]) await host.flush();
  }

  /** One at a time; nudges that come meanwhile lead to one more. */
  #place(): Promise<void> {
    if (this.#placing !== undefined) {
      this.#again = true;
      return this.#placing;
    }
    this.#placing = this.#placeOnce()
      .catch((error) => this.#deps.log.warn('placement failed', { error }))
      .finally(() => {
        this.#placing = undefined;
        if (!this.#again) return;
        this.#again = false;
        void this.#place();
      });
    return this.#placing;
  }

  async #placeOnce(): Promise<void> {
    const { clock, members, membership, policy } = this.#deps;
    if (this.#stopped || membership.inDoubt()) return;
    const identity = membership.identity;
    const view = await members.view();
    const partitions = view.partitions.filter((row) => this.#kinds.has(row.kind));
    this.#dropLost(identity.incarnation, partitions);
    const plan = planFor(identity, { ...view, partitions }, new Set(this.#hosts.keys()));
    // What is not this one's to take any more does not trouble it.
    this.#failing = this.#failing.intersection(new Set(plan.claim.map(keyOf)));
    await inParallel(takeoversAtOnce, lotsOf(plan.claim, policy.claimsTogether), (lot) =>
      this.#claim(lot),
    );
    this.#hasLooked = true;

    const nowMs = clock.monotonicMs();
    const names = view.members.map((m) => `${m.incarnation}${m.draining ? '-' : ''}`).sort();
    if (names.join() !== this.#members) this.#calmSinceMs = nowMs;
    this.#members = names.join();
    const isDraining = view.members.some(
      ({ incarnation, draining }) => draining && incarnation === identity.incarnation,
    );
    if (!isDraining && nowMs - this.#calmSinceMs < policy.calmMs) return;
    // An operator's drain is no hurry: one after another, so that few callers wait at any time.
    const atOnce = isDraining ? 1 : policy.handOversAtOnce;
    await inParallel(atOnce, plan.handOver, async (row) => {
      if (!this.#stopped) await this.#hosts.get(keyOf(row))?.handOver();
    });
  }

  /** Without this one that is never asked to write would not notice, and nobody else could take it. */
  #dropLost(incarnation: string, partitions: readonly PartitionRow[]): void {
    for (const row of partitions) {
      const host = this.#hosts.get(keyOf(row));
      if (host === undefined || row.incarnation === incarnation) continue;
      this.#deps.log.info('the row names somebody else', { ...host.ref });
      host.drop();
    }
  }

  async #claim(lot: Lot): Promise<void> {
    const { log, members, membership } = this.#deps;
    const { identity } = membership;
    if (this.#stopped) return;
    try {
      const claimed = await members.claimAll(lot, identity);
      const takeover = { parts: claimed.map(({ part }) => part) };
      const served = await Promise.all(
        claimed.map((each) => this.#serve(each, identity.incarnation, takeover)),
      );
      // What many are loaded with is read together: one row that nobody can read fails them all. Not all
      // at once: it may be the database that is slow.
      const failed = claimed.filter((_, index) => served[index] === false);
      if (lot.length > 1) await inParallel(takeoversAtOnce, failed, (each) => this.#claim([each]));
    } catch (error) {
      log.warn('claim failed', { kind: lot[0].kind, parts: lot.map(({ part }) => part), error });
      // One that is locked must not keep the others waiting.
      if (lot.length > 1) await Promise.all(lot.map((row) => this.#claim([row])));
      else this.#failing = this.#failing.union(new Set(lot.map(keyOf)));
    }
  }

  /** False when what it holds could not be loaded. */
  async #serve(
    { kind: name, part, epoch, nowMs, unservedMs }: ClaimedPartition,
    incarnation: string,
    takeover: Takeover,
  ): Promise<boolean> {
    const kind = this.#kinds.get(name);
    if (kind === undefined) return true;
    const key = keyOf({ kind: name, part });
    this.#deps.telemetry.count('paddock.partition.epoch_changes', 1, { kind: name });
    const onStopped = (stopped: PartitionHost) => {
      if (this.#hosts.get(key) === stopped) this.#hosts.delete(key);
    };
    const commits = this.#sharing.get(name) ?? this.#deps.store;
    const token = { kind: name, part, epoch, incarnation };
    const host = new PartitionHost({ ...this.#deps, commits, kind, onStopped }, token);
    this.#hosts.set(key, host);
    try {
      await host.activate(nowMs, takeover, unservedMs);
      this.#failing = this.#failing.difference(new Set([key]));
      // It was claimed before the stop, which did not wait for it.
      if (this.#isHandingOver) await host.handOver();
      return true;
    } catch (error) {
      // The row stays ours, so the next look tries again.
      this.#deps.log.error('activation failed', { ...host.ref, error });
      host.drop();
      this.#failing = this.#failing.union(new Set([key]));
      return false;
    }
  }
}

/** Partitions of one kind, one at least. */
type Lot = readonly [SeenPartition, ...SeenPartition[]];

function lotsOf(rows: readonly PartitionRow[], sizeMax: number): Lot[] {
  return [...Map.groupBy(rows, ({ kind }) => kind).values()].flatMap((ofKind) => {
    const starts = ofKind.keys().filter((index) => index % sizeMax === 0);
    return [...starts].map((start) => ofKind.slice(start, start + sizeMax) as [PartitionRow]);
  });
}

function gaugeEntries(gauges: NonNullable<PartitionKind['gauges']>): [GaugeName, string][] {
  // Sound because the keys are declared as the names of gauges.
  return Object.entries(gauges) as [GaugeName, string][];
}

async function inParallel<T>(
  atOnce: number,
  items: readonly T[],
  run: (item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await run(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}
