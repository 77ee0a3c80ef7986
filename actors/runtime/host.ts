import type { MessageBus, PartitionBus, SharedWork, Subscription } from '../../infra/ports/bus.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { Outlook } from '../../infra/ports/clock-follower.ts';
import type { Service } from '../../infra/ports/lifecycle.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { MembershipStore } from '../../infra/ports/membership-store.ts';
import type { OutboxStore } from '../../infra/ports/outbox-store.ts';
import type { PartitionRef, PartitionStore } from '../../infra/ports/partition-store.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import { EdgeWatch } from './edge-watch.ts';
import { Membership } from './membership.ts';
import type { PartitionKind } from './partition-actor.ts';
import { PartitionTable } from './partition-table.ts';
import { defaultPolicy, type RuntimePolicy } from './policy.ts';
import { Relay } from './relay.ts';
import { Suspicion } from './suspicion.ts';
import { Sweeper } from './sweeper.ts';

export interface HostOptions {
  /** Unique among the processes that run at one time; a restart may use the same one. */
  readonly memberId: string;
  readonly kinds: readonly PartitionKind[];
  readonly partitions: PartitionStore;
  /** On connections of its own: a renewal must not wait behind commits. */
  readonly members: MembershipStore;
  readonly outbox: OutboxStore;
  readonly bus: PartitionBus;
  readonly messages: MessageBus;
  /** Left to others while the database cannot be reached from here. */
  readonly sharing: SharedWork;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  readonly newIncarnation: () => string;
  /** True where every caller comes through an edge: without any, nothing is overdue. */
  readonly watchesEdges?: boolean;
  /** Where the clock is simulated: how far it is ahead, and who is told that partitions rest. */
  readonly simulation?: { offsetMs(): number; rested(): unknown };
  readonly policy?: Partial<RuntimePolicy>;
}

export interface Host extends Service {
  /** Hands every partition over and leaves; the same as `stop`. */
  drain(): Promise<void>;
  /** Drops every partition as it is, with nothing written or told, and takes none again. */
  abandon(): void;
  /** What this process serves now, with each actor's own numbers. */
  partitions(): readonly ServedPartition[];
  /** False while the lease is in doubt. */
  isCertain(): boolean;
  /** Whether callers are served whatever is to be served here; nothing may be, beside others. */
  isSettled(): boolean;
  nowMs(): number;
  /** Begins with what is due now, and tells what is left to do and when there will be more. */
  outlook(): Outlook;
}

export interface ServedPartition extends PartitionRef {
  readonly epoch: number;
  readonly waiting: number;
  readonly stats: Readonly<Record<string, number>>;
}

/** Owns a share of all partitions and serves it, until told to leave. */
export function createHost(options: HostOptions): Host {
  const policy: RuntimePolicy = { ...defaultPolicy, ...options.policy };
  const { memberId, kinds, bus, members, messages, clock, log, telemetry, outbox } = options;
  const relay = new Relay({ messages, bus, clock, log, telemetry });
  const sweeper = new Sweeper({ messages, bus, clock, log, telemetry, outbox, policy });
  const membership = new Membership({
    memberId,
    kinds: kinds.map((kind) => kind.kind),
    newIncarnation: options.newIncarnation,
    store: members,
    clock,
    log,
    policy,
    sharing: options.sharing,
    mayJoin: () => bus.connected,
    offsetMs: () => options.simulation?.offsetMs() ?? 0,
    onLost: () => table.dropAll(),
    onLateRenewal: (gapMs) => table.forgive(gapMs),
    onJoined: () => {
      bus.signal('joined', { memberId });
      table.nudge();
    },
  });
  const onOutageEnd = (outageMs: number) => table.forgive(outageMs);
  const onDelay = (byMs: number) => table.delay(byMs);
  const edges = new EdgeWatch({ bus, clock, log, policy, onOutageEnd, onDelay });
  const watchesEdges = options.watchesEdges === true;
  const table = new PartitionTable({
    isReachable: () => !watchesEdges || edges.hasEdge,
    ...{ kinds, membership, members, bus, messages, clock, log, telemetry, policy },
    store: options.partitions,
    relay: (sent) => relay.send(sent),
    onRest: () => void options.simulation?.rested(),
  });
  const suspicion = new Suspicion({
    ...{ memberId, bus, members, clock, log },
    mayJudge: () => membership.isMember,
    nudge: () => table.nudge(),
  });
  let subscriptions: Subscription[] = [];
  let leaving: Promise<void> | undefined;

  const start = async () => {
    subscriptions = [
      bus.answerPings(memberId),
      ...['joined', 'left', 'released'].map((name) => bus.onSignal(name, () => table.nudge())),
    ];
    await membership.start();
    if (watchesEdges) edges.start();
    suspicion.start();
    relay.start();
    sweeper.start();
    table.start();
  };
  const leave = async () => {
    const { identity } = membership;
    await members.setDraining(identity).catch((error) => log.warn('draining untold', { error }));
    bus.signal('left', { memberId });
    await table.stop();
    sweeper.stop();
    relay.stop();
    // Before what takes leave of the broker, which may be silent: others wait for the lease to end.
    await membership.leave().catch((error) => log.warn('leaving untold', { error }));
    await suspicion.stop();
    await edges.stop();
    await Promise.all(subscriptions.map((subscription) => subscription.close()));
  };
  const stop = () => {
    leaving ??= leave();
    return leaving;
  };
  return {
    ...{ start, stop, drain: stop },
    abandon: () => table.abandon(),
    partitions: () => table.served(),
    isCertain: () => !membership.inDoubt(),
    isSettled: () => bus.connected && table.isSettled,
    nowMs: () => membership.nowMs(),
    outlook: () => table.outlook(),
  };
}
