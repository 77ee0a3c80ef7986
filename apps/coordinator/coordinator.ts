import { createHost, type Host } from '../../actors/runtime/host.ts';
import type { RuntimePolicy } from '../../actors/runtime/policy.ts';
import { createIdleWorkWatch } from '../../actors/services/idle-work/idle-work.actor.ts';
import { createRaceTaskWatch } from '../../actors/services/race-tasks/race-tasks.actor.ts';
import { checkSealKeys } from '../../actors/services/sealing/check-keys.ts';
import { createStuckWatch } from '../../actors/services/stuck/stuck.actor.ts';
import type { Config } from '../../infra/config/config.ts';
import { createCredentialSeal } from '../../infra/crypto/credential-seal.ts';
import type { HistoryWatch } from '../../infra/history/history-watch.ts';
import { randomHex, randomId } from '../../infra/ids/ids.ts';
import { type Bus, createBus } from '../../infra/nats/bus.ts';
import { closeNats, connectNats, untilGivenUp } from '../../infra/nats/connect.ts';
import { answerGenesis, requireOurs } from '../../infra/nats/installation.ts';
import { createStreamWatch } from '../../infra/nats/stream-watch.ts';
import { prepareStreams } from '../../infra/nats/streams.ts';
import { createS3Store } from '../../infra/object-store/s3-store.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import { checkSchema } from '../../infra/postgres/check-schema.ts';
import { checkServer } from '../../infra/postgres/check-server.ts';
import { checkTimeZone } from '../../infra/postgres/check-time-zone.ts';
import {
  closeSql,
  createSql,
  type DatabaseRole,
  transactionsMax,
} from '../../infra/postgres/client.ts';
import { createMembershipStore } from '../../infra/postgres/membership-store.ts';
import { createOutboxStore } from '../../infra/postgres/outbox-store.ts';
import { createPartitionStore } from '../../infra/postgres/partition-store.ts';
import { warnOfMightyLogin } from '../mighty-login.ts';
import { objectStoreOptions } from '../object-store-options.ts';
import { openHistory } from '../open-history.ts';
import { startClock } from './clock.ts';
import { startFeed } from './feed.ts';
import { openBucket } from './open-bucket.ts';
import { partitionKinds } from './partition-kinds.ts';
import { sealedPlaces } from './sealed-places.ts';
import { startServices } from './services.ts';
import { startSimilarity } from './similarity.ts';

export interface CoordinatorOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  /** Where a database without fsync is what is wanted. */
  readonly allowUnsafeWrites?: boolean;
  readonly policy?: Partial<RuntimePolicy>;
}

export interface Coordinator extends AsyncDisposable {
  readonly host: Host;
  /** Resolves when the database went back in time: all that is in memory here is worth nothing. */
  readonly outdated: Promise<void>;
  /** Resolves when nobody can reach it any more: the process is to end and be started again. */
  readonly cutOff: Promise<void>;
}

/**
 * Hosts a share of the partitions and takes its part of the stateless services. Waits with that while
 * the database is behind what it once acknowledged.
 */
export async function startCoordinator(options: CoordinatorOptions): Promise<Coordinator> {
  const { config, clock, log, telemetry } = options;
  const memberId = `${config.processName}-${randomHex(4)}`;
  await using stack = new AsyncDisposableStack();
  // From the first moment: one that waits for a neighbour shows metrics, and would look like any other.
  let isReady = () => false;
  stack.defer(telemetry.gauge('paddock.coordinator.ready', () => (isReady() ? 1 : 0)));
  const open = (use: string, role: DatabaseRole, max?: number) => {
    const name = { url: config.databaseUrl, applicationName: `${memberId} ${use}`, role };
    return stack.adopt(createSql({ ...name, max: max ?? config.databasePoolSize }), closeSql);
  };
  const commits = open('commits', 'paddock_actor');
  await checkServer(commits, {
    allowUnsafeWrites: options.allowUnsafeWrites === true,
    connections: connectionsOf(config),
  });
  await checkTimeZone(commits, config.raceTimeZone);
  await checkSchema(commits);
  await warnOfMightyLogin(commits, log);
  const objects = createS3Store(objectStoreOptions(config));
  stack.defer(await openBucket({ objects, bucket: config.s3Bucket, sql: commits, clock, log }));
  const watching = { config, sql: open('history', 'paddock_actor', 1), clock, log, telemetry };
  const history = await openHistory({ ...watching, isKeeper: true });
  stack.defer(() => history.stop());
  await history.until(() => history.isSound && history.genesis !== undefined);
  const sql: Sql = open('services', 'paddock_service');
  const seal = createCredentialSeal(config.credentialKeys);
  await checkSealKeys({ sql, seal, places: sealedPlaces });
  const { bus, cutOff } = await openBus(memberId, history, options, stack);
  const partitions = createPartitionStore(commits);
  const following = { config, sql: commits, process: memberId, signals: bus.partitions };
  const simulation = await startClock({ ...following, clock, log }, stack);
  const host = createHost({
    memberId,
    kinds: partitionKinds(config, { sql: commits, branch: history.branch, log, telemetry }),
    partitions,
    // Of their own: a renewal must wait neither behind commits nor behind what a neighbour left to claim.
    members: createMembershipStore(
      open('claims', 'paddock_actor', 2),
      open('leases', 'paddock_actor', 1),
    ),
    outbox: createOutboxStore(commits),
    bus: bus.partitions,
    messages: bus.messages,
    sharing: bus.sharing,
    ...{ clock, log, telemetry },
    newIncarnation: randomId,
    watchesEdges: true,
    ...(simulation !== undefined && { simulation }),
    policy: {
      leaseMs: config.memberLeaseSeconds * 1000,
      renewEveryMs: config.memberRenewSeconds * 1000,
      ...options.policy,
    },
  });
  // Stopped in the opposite order: partitions are handed over first, then the services end.
  stack.use(await startServices({ config, bus, sql, objects, clock, log, telemetry }));
  stack.use(await startFeed({ config, bus, sql, partitions, clock, log, telemetry }));
  stack.use(await startSimilarity({ sql, objects, clock, log }));
  for (const createWatch of [createStuckWatch, createRaceTaskWatch, createIdleWorkWatch]) {
    const watch = createWatch({ sql, clock, log, telemetry });
    await watch.start();
    stack.defer(() => watch.stop());
  }
  await host.start();
  stack.defer(() => host.drain());
  isReady = () => host.isSettled() && history.isSound && !history.isOutdated;
  simulation?.watch(host);
  const owned = stack.move();
  const outdated = history
    .until(() => !history.isSound || history.isOutdated)
    // Before anything else: what is in memory must not be written into what is there now.
    .then(() => host.abandon());
  return { host, outdated, cutOff, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Two pools with their transactions, the claims, the lease and the watch over history. */
function connectionsOf({ databasePoolSize }: Config): number {
  return 2 * (databasePoolSize + transactionsMax(databasePoolSize)) + 4;
}

async function openBus(
  memberId: string,
  { branch, genesis = '' }: Pick<HistoryWatch, 'branch' | 'genesis'>,
  { config, clock, log, telemetry }: CoordinatorOptions,
  stack: AsyncDisposableStack,
): Promise<{ readonly bus: Bus } & Pick<Coordinator, 'cutOff'>> {
  const connection = stack.adopt(
    await connectNats({ url: config.natsUrl, name: memberId, waiting: { clock, log } }),
    closeNats,
  );
  const streams = { replicas: config.natsReplicas, genesis };
  const areStreamsOurs = await prepareStreams(connection, streams, log);
  await requireOurs(connection, { ours: genesis, areStreamsOurs }, log);
  const answering = answerGenesis(connection, genesis);
  stack.defer(() => answering.close());
  const bus = await createBus({ connection, streams, branch, clock, log, telemetry });
  const fills = createStreamWatch({ connection, genesis, clock, log, telemetry });
  await fills.start();
  stack.defer(() => fills.stop());
  return { bus, cutOff: untilGivenUp(connection, log) };
}
