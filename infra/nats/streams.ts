import {
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import { type NatsConnection, nanos } from 'nats';
import type { Logger } from '../ports/log.ts';
import { requireLasting } from './consumers.ts';
import { differences } from './differences.ts';
import { isOfOther, OtherInstallation } from './installation.ts';

const hourMs = 3_600_000;

export interface StreamOptions {
  /** 1 for a single node, 3 in production. */
  readonly replicas: number;
  /** Of the database whose messages they are to carry, and no other's; any unless told. */
  readonly genesis?: string;
}

/** Where a stream says whose it is. */
const genesisKey = 'paddock_genesis';

type Marked = Pick<StreamConfig, 'metadata' | 'name'>;

/** Throws where a stream carries the messages of another database. */
export function requireOwnStream(
  { name, metadata }: Marked,
  { genesis }: Pick<StreamOptions, 'genesis'>,
): void {
  const theirs = metadata?.[genesisKey];
  if (genesis !== undefined && theirs !== undefined && isOfOther(theirs, genesis)) {
    throw new OtherInstallation({ where: `stream ${name}`, ours: genesis, theirs });
  }
}

/** Streams of a version before say nothing, and the first coordinator of this one says it. */
function isUnmarked({ metadata }: Partial<Marked>, { genesis }: StreamOptions): boolean {
  return genesis !== undefined && metadata?.[genesisKey] === undefined;
}

function marked(metadata: StreamConfig['metadata'], { genesis }: StreamOptions) {
  return genesis === undefined ? {} : { metadata: { ...metadata, [genesisKey]: genesis } };
}

type Wanted = Pick<
  StreamConfig,
  | 'deny_delete'
  | 'deny_purge'
  | 'discard'
  | 'duplicate_window'
  | 'max_age'
  | 'max_bytes'
  | 'max_msg_size'
  | 'name'
  | 'num_replicas'
  | 'retention'
  | 'storage'
  | 'subjects'
>;

/**
 * Creates or updates both streams, reads them back and compares field by field: servers accept
 * settings they do not know and do nothing about them. Throws on any difference, but for copies above
 * those that were asked for, which stay.
 */
export async function ensureStreams(
  connection: NatsConnection,
  options: StreamOptions,
): Promise<void> {
  await ensured(await managerOf(connection), options);
}

function managerOf(connection: NatsConnection): Promise<JetStreamManager> {
  return jetstreamManager(connection, { checkAPI: false, timeout: 5_000 });
}

async function ensured(
  manager: JetStreamManager,
  options: StreamOptions,
  tell?: TellKept,
): Promise<void> {
  for (const asked of wantedStreams(options)) {
    const wanted = await ensureStream(manager, asked, options);
    if (wanted.num_replicas !== asked.num_replicas) tell?.(wanted);
    const { config } = await manager.streams.info(wanted.name);
    // Read back as well: of two that marked it at once the later one counts.
    requireOwnStream(config, options);
    const found = differences(wanted, config);
    if (found.length > 0) throw new Error(`stream ${wanted.name}: ${found.join('; ')}`);
  }
}

/** Told of a stream that has more copies than were asked for. */
type TellKept = (kept: Wanted) => void;

/**
 * The same at a start, and that consumers of before are as this version needs them. Only
 * settings may stop it: commands and commits need no stream, and what would be sent waits in the database
 * until one takes it.
 *
 * @returns whether the streams were there to be asked
 */
export async function prepareStreams(
  connection: NatsConnection,
  options: StreamOptions,
  log: Pick<Logger, 'warn'>,
): Promise<boolean> {
  try {
    const manager = await managerOf(connection);
    await ensured(manager, options, ({ name, num_replicas }) =>
      log.warn('NATS_REPLICAS is below the copies that a stream has; it keeps them', {
        ...{ stream: name, copies: num_replicas, replicas: options.replicas },
      }),
    );
    for (const { name } of wantedStreams(options)) await requireLasting(manager, name);
    return true;
  } catch (error) {
    if (!isOutage(error)) throw error;
    log.warn('the broker keeps no messages now; what is to be sent waits', { error });
    return false;
  }
}

/** JetStream is off, as after its disk was full, has no leader, or says nothing. */
function isOutage(error: unknown): boolean {
  if (error instanceof JetStreamApiError) return error.status === unavailable;
  if (!(error instanceof Error) || isForbidden(error)) return false;
  return silences.has(error.name);
}

/** A login without the rights is a setting: nothing would ever be sent. */
function isForbidden({ cause }: Error): boolean {
  return cause instanceof Error && cause.name === 'PermissionViolationError';
}

const unavailable = 503;
/** By their names: the library exports none of them. */
const silences: ReadonlySet<string> = new Set([
  'JetStreamNotEnabled',
  'RequestError',
  'TimeoutError',
]);

export function wantedStreams(options: StreamOptions): readonly Wanted[] {
  const both = {
    // Work-queue retention has lost messages for ever; interest forgets what has no reader yet.
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    num_replicas: options.replicas,
    // A full stream must refuse, so that the outbox waits; never drop the oldest in silence.
    discard: DiscardPolicy.New,
    // Three days; the inbox remembers seven.
    max_age: nanos(72 * hourMs),
    // A cheap filter only: the inbox is what makes an effect happen once.
    duplicate_window: nanos(120_000),
    max_msg_size: 512 * 1024,
    deny_delete: true,
    deny_purge: true,
  };
  return [
    { ...both, name: 'EVT', subjects: ['evt.>'], max_bytes: 4 * 1024 ** 3 },
    { ...both, name: 'FACT', subjects: ['fact.>'], max_bytes: 8 * 1024 ** 3 },
  ];
}

/** What the broker has to be allowed to store: it reserves for each stream as much as that one may hold. */
export function streamBytesMax(): number {
  return wantedStreams({ replicas: 1 }).reduce((sum, { max_bytes }) => sum + max_bytes, 0);
}

/**
 * As the stream is to be from now on. Somebody else may make it at the same time, for another database or
 * with other copies: a broker then says that the name is taken or, since it reserves the room for both,
 * that there is too little.
 */
async function ensureStream(
  manager: JetStreamManager,
  asked: Wanted,
  options: StreamOptions,
): Promise<Wanted> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await adopt(manager, asked, options);
    } catch (error) {
      if (!(error instanceof Error && error.message === 'stream not found')) throw error;
    }
    try {
      await manager.streams.add({ ...asked, ...marked({}, options) });
      return asked;
    } catch (error) {
      const isRaced = error instanceof JetStreamApiError && codesOfRaces.has(error.code);
      if (!isRaced || attempt === addsMax) throw error;
    }
  }
}

const addsMax = 10;
/** Too little storage; a stream of that name that is not as asked. */
const codesOfRaces: ReadonlySet<number> = new Set([10_047, 10_058]);

async function adopt(
  manager: JetStreamManager,
  asked: Wanted,
  options: StreamOptions,
): Promise<Wanted> {
  const { config } = await manager.streams.info(asked.name);
  requireOwnStream(config, options);
  const wanted = withCopiesKept(asked, config);
  if (differences(wanted, config).length > 0 || isUnmarked(config, options)) {
    await manager.streams.update(wanted.name, { ...wanted, ...marked(config.metadata, options) });
  }
  return wanted;
}

/**
 * One host on which the number was forgotten would else take copies away from all of them. Whoever wants
 * fewer says so to the broker as well.
 */
function withCopiesKept(asked: Wanted, { num_replicas }: Pick<StreamConfig, 'num_replicas'>) {
  return { ...asked, num_replicas: Math.max(asked.num_replicas, num_replicas) };
}
