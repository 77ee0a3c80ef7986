import { eventsAfter, newestCursor } from '../../actors/services/public-events.ts';
import {
  createRegistrationCache,
  type RegistrationCache,
} from '../../infra/chain/registration-cache.ts';
import { createRpcChain } from '../../infra/chain/rpc-chain.ts';
import type { Config } from '../../infra/config/config.ts';
import { sha256Hex } from '../../infra/ids/ids.ts';
import { scratchFolder } from '../../infra/local/scratch-folder.ts';
import { untilGivenUp } from '../../infra/nats/connect.ts';
import { createS3Store } from '../../infra/object-store/s3-store.ts';
import type { Signals } from '../../infra/ports/bus.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { DomainTime } from '../../infra/ports/clock-follower.ts';
import type { EdgeBeacon } from '../../infra/ports/edge-peers.ts';
import type { Service } from '../../infra/ports/lifecycle.ts';
import type { SignatureVerifier } from '../../infra/ports/signatures.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import { createCodeAnalyser } from '../../infra/python/python-analyser.ts';
import { objectStoreOptions } from '../object-store-options.ts';
import { Documents } from './artifacts/documents.ts';
import { FirstCopies } from './artifacts/first-copies.ts';
import { KeptEpisodes } from './artifacts/kept-episodes.ts';
import { KeptLogs } from './artifacts/kept-logs.ts';
import { Callers } from './auth/callers.ts';
import { chainRegistrations } from './auth/chain-registrations.ts';
import type { Identity } from './auth/identity.ts';
import { NonceLedger } from './auth/nonce-ledger.ts';
import { ProofTurns } from './auth/proof-turns.ts';
import type { ProofWatch } from './auth/proof-watch.ts';
import { RunTokens } from './auth/run-tokens.ts';
import { type Begun, started } from './begun.ts';
import { Boards } from './board/boards.ts';
import type { SealKeyWatch } from './credentials/seal-key-watch.ts';
import type { EdgeDeps } from './deps.ts';
import { agesOf, createRealTime, createSimulatedTime, type DomainTimeDeps } from './domain-time.ts';
import type { EdgeOptions } from './edge-options.ts';
import { openEpochs } from './emission/open-epochs.ts';
import { CurrentStandings } from './emission/standings.ts';
import { CodeDownloads } from './evaluation/code-downloads.ts';
import { KnownTerms } from './evaluation/known-terms.ts';
import { createRunLocator } from './evaluation/run-locator.ts';
import { RunPace } from './evaluation/run-pace.ts';
import { type FeedReads, FeedTail } from './feed/feed-tail.ts';
import { PublicFeed } from './feed/public-feed.ts';
import { StreamSlots } from './feed/stream-slots.ts';
import { createInference, type Inference } from './inference/create-inference.ts';
import { StrangersQueue } from './middleware/strangers-queue.ts';
import { openBroker, openDatabase, openPast, openSeal } from './open-neighbours.ts';
import { openPeers } from './open-peers.ts';
import { openReadiness } from './open-readiness.ts';
import { chainNode } from './operator/chain-node.ts';
import { createDeliveries } from './packs/delivery.ts';
import { createPresence } from './presence.ts';
import { KeptPages } from './public-reads/kept-pages.ts';
import { createRates } from './rates/rates.ts';
import { AnalysisTurns } from './submission/analysis-turns.ts';
import { createRejections } from './submission/rejections.ts';

/** Several subnets' worth. */
const registrationsMax = 20_000;

export type OpenDeps = EdgeDeps & {
  readonly cutOff: Promise<void>;
  readonly nonces: NonceLedger;
  readonly peers: EdgeBeacon & Service;
  readonly proofs: Begun<ProofWatch>;
  readonly sealKeys: SealKeyWatch;
  readonly strangers: StrangersQueue;
};

/**
 * What was opened last is closed first, so each is opened after all that it works with. Where one cannot
 * be opened, those before it are on the stack already.
 */
export async function openDeps(
  options: EdgeOptions,
  verifier: SignatureVerifier,
  stack: AsyncDisposableStack,
): Promise<OpenDeps> {
  const { config, clock, log, telemetry } = options;
  const { sql, callersSql, claimsSql } = await openDatabase(options, stack);
  const { seal, sealKeys } = await openSeal(options, callersSql, stack);
  const { history, clockWatch, isReadOnly } = await openPast(options, callersSql, stack);
  const { connection, name, bus, signals, ...watched } = await openBroker(options, history, stack);
  const guarded = { connection, name, bus, callersSql, isReadOnly, verifier };
  const { registrations, ...entrance } = openEntrance(options, guarded, stack);
  const time = await openTime(options, { name, sql, bus, signals }, stack);
  const files = await openFiles(options, stack);
  const { objects, scratch } = files;
  const feed = await openFeed(options, { sql, signals, isReadOnly }, stack);
  const { chainWatch, ...epochs } = await openEpochs(options, sql, stack);
  const { proofs } = entrance;
  const needed = { history, clockWatch, proofs, chainWatch, objects, broker: connection };
  const readiness = openReadiness(options, { sql: callersSql, ...needed, ...watched }, stack);
  const inference = await openInference(options, { sql, bus, seal }, stack);
  const presence = await started(createPresence({ bus, clock, time }), stack);
  return {
    ...{ config, clock, log, telemetry, sql, claimsSql, bus, seal, sealKeys, time },
    ...{ history, readiness, feed, inference, presence, ...entrance, ...files },
    identity: identityOf(options, { registrations, verifier, callersSql, time }),
    runs: createRunLocator(callersSql),
    pace: new RunPace(sql, clock),
    terms: new KnownTerms(sql),
    deliveries: createDeliveries({ sql, bus, objects, scratch, clock }),
    keptPages: new KeptPages(),
    boards: new Boards(sql),
    rejections: createRejections({ sql, bus, perHourMax: config.rejectedSubmissionsPerHour }),
    standings: new CurrentStandings({ ...{ sql, bus, log }, ...epochs }),
    cutOff: untilGivenUp(connection, log),
  };
}

/** Who is let in, and how often: by what the chain says of them, and together with the other edges. */
function openEntrance(
  options: EdgeOptions,
  by: Pick<Awaited<ReturnType<typeof openBroker>>, 'bus' | 'connection' | 'name'> & {
    readonly callersSql: Sql;
    readonly isReadOnly: () => boolean;
    readonly verifier: SignatureVerifier;
  },
  stack: AsyncDisposableStack,
) {
  const { config, clock } = options;
  const { connection, name, bus, callersSql, isReadOnly, verifier } = by;
  const registrations = registrationsOf(options);
  const strangers = new StrangersQueue(() => clock.monotonicMs());
  const nonces = new NonceLedger(bus, clock, isReadOnly);
  const newcomer = { strangers, verifier, callersSql, nonces };
  const peering = { connection, name, registrations, newcomer };
  const { peers, proofs } = openPeers(options, peering, stack);
  const rates = createRates(config, { clock, peers });
  return { registrations, strangers, nonces, peers, proofs, rates };
}

function openTime(
  { config, clock, log }: EdgeOptions,
  by: Omit<DomainTimeDeps, 'clock' | 'log'>,
  stack: AsyncDisposableStack,
) {
  const createTime = config.clock === 'simulated' ? createSimulatedTime : createRealTime;
  return started(createTime({ ...by, clock, log }), stack);
}

/** What is kept in the object store, how it is handed out, and who looks at a file before it is kept. */
async function openFiles({ config, clock, log }: EdgeOptions, stack: AsyncDisposableStack) {
  const objects = createS3Store(objectStoreOptions(config));
  const scratch = await scratchFolder(config.processName);
  const copies = new FirstCopies(objects);
  // Begins with the first file: it takes a second of a processor, and 250 MB.
  const analyser = stack.adopt(analyserOf(config, clock), (running) => running.stop());
  return {
    ...{ objects, scratch },
    analyses: new AnalysisTurns(analyser),
    codeDownloads: new CodeDownloads(objects, clock, config.downloadUrlSeconds),
    documents: new Documents(objects, config.artifactBytesMax),
    keptEpisodes: new KeptEpisodes({ objects, copies, scratch, log }),
    keptLogs: new KeptLogs({ objects, copies, scratch }),
  };
}

function analyserOf(config: Config, clock: Clock): ReturnType<typeof createCodeAnalyser> {
  return createCodeAnalyser({
    fileBytesMax: config.agentFileBytesMax,
    agentPackages: config.agentPackages,
    productIdPattern: config.productIdPattern,
    ...(config.agentEntryPoint !== undefined && { entryPoint: config.agentEntryPoint }),
    clock,
  });
}

/** What happened, as it happens, for whoever listens. */
async function openFeed(
  { config, clock, log }: EdgeOptions,
  by: { readonly sql: Sql; readonly signals: Signals; readonly isReadOnly: () => boolean },
  stack: AsyncDisposableStack,
): Promise<PublicFeed> {
  const { sql, signals, isReadOnly } = by;
  const tail = await started(new FeedTail({ reads: feedReads(sql), signals, clock, log }), stack);
  return new PublicFeed({ tail, slots: streamSlots(config), clock, isReadOnly });
}

function feedReads(sql: Sql): FeedReads {
  return {
    newest: () => newestCursor(sql),
    after: (cursor, limit) => eventsAfter(sql, cursor, limit),
  };
}

function streamSlots({ eventStreamsMax, eventStreamsPerAddress }: Config): StreamSlots {
  return new StreamSlots({ max: eventStreamsMax, perAddressMax: eventStreamsPerAddress });
}

async function openInference(
  { config, clock, log, telemetry }: EdgeOptions,
  by: Pick<EdgeDeps, 'bus' | 'seal' | 'sql'>,
  stack: AsyncDisposableStack,
): Promise<Inference> {
  const inference = createInference({ ...by, config, clock, log, telemetry });
  await started(inference.records, stack);
  return inference;
}

function identityOf(
  { config, clock }: EdgeOptions,
  known: Pick<Identity, 'verifier'> & {
    readonly registrations: RegistrationCache;
    readonly callersSql: Sql;
    readonly time: DomainTime;
  },
): Identity {
  const { registrations, verifier, callersSql, time } = known;
  const runTokens = new RunTokens(callersSql, sha256Hex);
  return {
    registrations: chainRegistrations(registrations),
    verifier,
    callers: new Callers(callersSql, agesOf(clock, time)),
    runOf: (token) => runTokens.runOf(token),
    turns: new ProofTurns(config.falseProofsPerSecond, clock),
  };
}

function registrationsOf({ config, clock }: EdgeOptions): RegistrationCache {
  return createRegistrationCache({
    chain: createRpcChain({ ...chainNode(config, clock), netuid: config.netuid }),
    clock,
    ttlMs: config.chainCacheSeconds * 1000,
    graceMs: config.chainGraceSeconds * 1000,
    validatorStakeMin: config.validatorStakeMin,
    max: registrationsMax,
  });
}
