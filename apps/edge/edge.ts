import { setMaxListeners } from 'node:events';
import {
  createRegistrationCache,
  type RegistrationCache,
} from '../../infra/chain/registration-cache.ts';
import { createRpcChain } from '../../infra/chain/rpc-chain.ts';
import type { Config } from '../../infra/config/config.ts';
import { createCredentialSeal } from '../../infra/crypto/credential-seal.ts';
import { createVerifierPool } from '../../infra/crypto/sr25519-verifier.ts';
import { decodeHotkey } from '../../infra/crypto/ss58.ts';
import { randomHex, randomId, sha256Hex } from '../../infra/ids/ids.ts';
import { scratchFolder } from '../../infra/local/scratch-folder.ts';
import { createCommandBus } from '../../infra/nats/command-bus.ts';
import { closeNats, connectNats, untilGivenUp } from '../../infra/nats/connect.ts';
import { InstallationWatch } from '../../infra/nats/installation.ts';
import { createSignals } from '../../infra/nats/signals.ts';
import { createS3Store } from '../../infra/object-store/s3-store.ts';
import { freshTraceId } from '../../infra/otel/fresh-ids.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { EdgeBeacon } from '../../infra/ports/edge-peers.ts';
import type { Service } from '../../infra/ports/lifecycle.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { ObjectStore } from '../../infra/ports/object-store.ts';
import type { SignatureVerifier } from '../../infra/ports/signatures.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import { closeSql, createSql } from '../../infra/postgres/client.ts';
import { createCodeAnalyser } from '../../infra/python/python-analyser.ts';
import { warnOfMightyLogin } from '../mighty-login.ts';
import { objectStoreOptions } from '../object-store-options.ts';
import { openHistory } from '../open-history.ts';
import { Documents } from './artifacts/documents.ts';
import { KeptLogs } from './artifacts/kept-logs.ts';
import { createAuthenticator } from './auth/authenticator.ts';
import { Callers } from './auth/callers.ts';
import { chainRegistrations } from './auth/chain-registrations.ts';
import { countedVerifier } from './auth/counted-verifier.ts';
import { familiarity } from './auth/familiar.ts';
import type { Identity } from './auth/identity.ts';
import { NonceLedger } from './auth/nonce-ledger.ts';
import { OperatorTokens } from './auth/operator-tokens.ts';
import { ProofTurns } from './auth/proof-turns.ts';
import type { ProofWatch } from './auth/proof-watch.ts';
import { RunTokens } from './auth/run-tokens.ts';
import { type Begun, begun } from './begun.ts';
import { Boards } from './board/boards.ts';
import { ClockWatch } from './clock-watch.ts';
import { SealKeyWatch } from './credentials/seal-key-watch.ts';
import type { EdgeDeps } from './deps.ts';
import type { Dispatch } from './dispatch.ts';
import { dispatchLimits } from './dispatch-limits.ts';
import { agesOf, createRealTime, createSimulatedTime } from './domain-time.ts';
import { openEpochs } from './emission/open-epochs.ts';
import { CurrentStandings } from './emission/standings.ts';
import { CodeDownloads } from './evaluation/code-downloads.ts';
import { KnownTerms } from './evaluation/known-terms.ts';
import { createRunLocator } from './evaluation/run-locator.ts';
import { type FeedReads, FeedTail } from './feed/feed-tail.ts';
import { PublicFeed } from './feed/public-feed.ts';
import { StreamSlots } from './feed/stream-slots.ts';
import { createInference } from './inference/create-inference.ts';
import { remoteAddressReader, secureReader } from './middleware/remote-address.ts';
import { StrangersQueue } from './middleware/strangers-queue.ts';
import { unnamedProxies } from './middleware/unnamed-proxies.ts';
import { openPeers } from './open-peers.ts';
import { openReadiness } from './open-readiness.ts';
import { chainNode } from './operator/chain-node.ts';
import { createDeliveries } from './packs/delivery.ts';
import { readPageFiles } from './pages/page-files.ts';
import { Pages } from './pages/pages.ts';
import { createPresence } from './presence.ts';
import { KeptPages } from './public-reads/kept-pages.ts';
import { createRates } from './rates/rates.ts';
import { eventsAfter, newestCursor } from './reads/public-events.ts';
import { openRooms } from './rooms.ts';
import { endpoints } from './routes/index.ts';
import { withSuccessor } from './routes/miner/legacy-credential-routes.ts';
import { createEdgeServer } from './server.ts';
import { serverLimits } from './server-limits.ts';
import { AnalysisTurns } from './submission/analysis-turns.ts';
import { createRejections } from './submission/rejections.ts';
import { WriteOutcomes } from './write-outcomes.ts';

export interface EdgeOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  /** 0.0.0.0 unless told. */
  readonly host?: string;
  /** For test runs: an answer that its schema does not describe is a 500. */
  readonly checkResponses?: boolean;
  /** For test runs: a database without fsync is fit. */
  readonly allowUnsafeWrites?: boolean;
}

export interface Edge extends AsyncDisposable {
  readonly port: number;
  /**
   * Rejects when it cannot prove callers any more, or must not seal what they give it: the process is
   * to end and be started again.
   */
  readonly failed: Promise<void>;
  /** Resolves when what it remembers is of a history that is no more: it is to be opened anew. */
  readonly outdated: Promise<void>;
  /** Resolves when it can ask no owner any more: the process is to end and be started again. */
  readonly cutOff: Promise<void>;
}

/** One HTTP edge: serves when this resolves, and drains when it is disposed of. */
export async function startEdge(options: EdgeOptions): Promise<Edge> {
  const { config, log, telemetry } = options;
  await using stack = new AsyncDisposableStack();
  const onTraps = (more: number) => telemetry.count('paddock.edge.verifier_traps', more);
  const threads = begun(createVerifierPool({ workers: verifierThreads, onTraps }), stack);
  const verifier = countedVerifier(threads, telemetry);
  const deps = await openDeps(options, verifier, stack);
  const dispatch = dispatchOf(options, deps, verifier);
  stack.defer(telemetry.gauge('paddock.edge.in_flight', () => dispatch.admission.inFlight));
  const stopping = new AbortController();
  // Every open stream listens.
  setMaxListeners(0, stopping.signal);
  const server = createEdgeServer({
    endpoints: endpoints.map((each) => withSuccessor(each, config)),
    dispatch: { ...dispatch, stopping: stopping.signal },
    newTraceId: () => telemetry.traceId() ?? freshTraceId(),
    nameRoute: telemetry.nameRoute,
    drainMs: config.drainSeconds * 1000 * drainShare,
    limits: serverLimits(config),
    trustedProxies: config.trustedProxies,
    corsOrigins: config.corsOrigins,
    isFamiliar: familiarity(deps.identity, dispatch.remoteAddress),
    strangers: deps.strangers,
    pages: pagesOf(options),
  });
  // Hosts hear of this edge before they hear from its callers.
  await deps.peers.start();
  // Before it listens: where its port is taken, its timers must not keep the process.
  stack.use(server);
  const port = await server.listen(config.port, options.host ?? '0.0.0.0');
  stack.defer(() => stopping.abort());
  stack.defer(() => deps.readiness.drain());
  log.info('listening', { port });
  // Reads are served already; nobody is told of this edge before it could let somebody in.
  await Promise.all([threads.begun, deps.proofs.begun]);
  const owned = stack.move();
  const { history, cutOff } = deps;
  const unproven = threads.stopped ?? new Promise<void>(() => undefined);
  const failed = Promise.race([unproven, deps.sealKeys.changed]);
  // Whoever does not look at it must not see an unhandled rejection.
  failed.catch(() => undefined);
  const outdated = history.until(() => history.isSound && history.isOutdated);
  return { port, failed, outdated, cutOff, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function pagesOf({ config, log }: EdgeOptions): Pages | undefined {
  const files = readPageFiles();
  if (files !== undefined) return new Pages(files, new URL(config.s3Endpoint).origin);
  log.warn('the pages are not built: "node apps/dashboard/build.mjs" builds them');
  return undefined;
}

/** What an edge may hear; see infra/compose/nats-rights.conf. */
const inboxPrefix = '_INBOX_edge';
/** For what every request of a participant asks first: reads that are slow must not be in its way. */
const callersConnections = 2;
const claimsConnections = 2;
// One thread checks more signatures a second than one event loop serves requests.
const verifierThreads = 1;
// The rest of the time is for closing what is behind the server.
const drainShare = 0.8;
/** Several subnets' worth. */
const registrationsMax = 20_000;

async function started<S extends Service>(service: S, stack: AsyncDisposableStack): Promise<S> {
  await service.start();
  return stack.adopt(service, (running) => running.stop());
}

type OpenDeps = EdgeDeps &
  Pick<Edge, 'cutOff'> & {
    readonly nonces: NonceLedger;
    readonly peers: EdgeBeacon & Service;
    readonly proofs: Begun<ProofWatch>;
    readonly sealKeys: SealKeyWatch;
    readonly strangers: StrangersQueue;
  };

function openPools(config: Config, stack: AsyncDisposableStack) {
  const open = (purpose: string, max: number, isByIndex = false) => {
    const applicationName = `${config.processName} ${purpose}`;
    const pool = { url: config.databaseUrl, max, applicationName, isByIndex };
    return stack.adopt(createSql({ ...pool, role: 'paddock_edge' }), closeSql);
  };
  return {
    sql: open('reads', config.databasePoolSize),
    callersSql: open('callers', callersConnections),
    claimsSql: open('claims', claimsConnections, true),
  };
}

async function openDeps(
  options: EdgeOptions,
  verifier: SignatureVerifier,
  stack: AsyncDisposableStack,
): Promise<OpenDeps> {
  const { config, clock, log, telemetry } = options;
  const { sql, callersSql, claimsSql } = openPools(config, stack);
  await warnOfMightyLogin(sql, log);
  const seal = createCredentialSeal(config.credentialKeys);
  const sealing = { seal, sql: callersSql, clock, log };
  const sealKeys = await started(new SealKeyWatch(sealing), stack);
  const watching = { config, sql: callersSql, clock, log, telemetry };
  const clockWatch = new ClockWatch({ skewSeconds: config.timestampSkewSeconds, clock, log });
  const onTime: ClockWatch['heard'] = (told) => clockWatch.heard(told);
  const history = await openHistory({ ...watching, isKeeper: false, onTime });
  stack.defer(() => history.stop());
  const connection = stack.adopt(
    await connectNats({
      ...{ url: config.natsUrl, name: config.processName, inboxPrefix },
      waiting: { clock, log },
    }),
    closeNats,
  );
  const outcomes = new WriteOutcomes(clock, log);
  const name = `${config.processName}-${randomHex(4)}`;
  const inbox = `${inboxPrefix}.${randomHex(16)}`;
  const bus = outcomes.watched(
    createCommandBus({ connection, clock, telemetry, inbox, genesis: () => history.genesis }),
  );
  const whose = { connection, history, clock, log };
  const installation = await started(new InstallationWatch(whose), stack);
  const registrations = registrationsOf(options);
  const strangers = new StrangersQueue(() => clock.monotonicMs());
  const isReadOnly = () => history.lost !== undefined;
  const nonces = new NonceLedger(bus, clock, isReadOnly);
  const newcomer = { strangers, verifier, callersSql, nonces };
  const peering = { connection, name, registrations, newcomer };
  const { peers, proofs } = openPeers(options, peering, stack);
  const rates = createRates(config, { clock, peers });
  const createTime = config.clock === 'simulated' ? createSimulatedTime : createRealTime;
  const signals = createSignals(connection);
  const time = await started(createTime({ name, sql, bus, signals, clock, log }), stack);
  const objects = createS3Store(objectStoreOptions(config));
  const scratch = await scratchFolder(config.processName);
  // Begins with the first file: it takes a second of a processor, and 250 MB.
  const analyser = stack.adopt(analyserOf(config, clock), (running) => running.stop());
  const tail = await started(new FeedTail({ reads: feedReads(sql), signals, clock, log }), stack);
  const { chainWatch, ...epochs } = await openEpochs(options, sql, stack);
  const watched = {
    ...{ history, outcomes, proofs, chainWatch, clockWatch, objects },
    ...{ broker: connection, installation },
  };
  const readiness = openReadiness(options, { sql: callersSql, ...watched }, stack);
  const runTokens = new RunTokens(callersSql, sha256Hex);
  const inference = createInference({ config, sql, bus, seal, clock, log, telemetry });
  await started(inference.records, stack);
  return {
    ...{ config, sql, claimsSql, bus, objects, scratch },
    ...{ clock, time, log, telemetry, readiness, rates, history },
    analyses: new AnalysisTurns(analyser),
    identity: identityOf(options, {
      registrations: chainRegistrations(registrations),
      verifier,
      callers: new Callers(callersSql, agesOf(clock, time)),
      runOf: (token) => runTokens.runOf(token),
    }),
    runs: createRunLocator(callersSql),
    terms: new KnownTerms(sql),
    deliveries: createDeliveries({ sql, bus, objects, scratch, clock }),
    ...{ seal, inference },
    keptPages: new KeptPages(),
    boards: new Boards(sql),
    ...outOf({ objects, scratch }, config, clock),
    feed: new PublicFeed({ tail, slots: streamSlots(config), clock, isReadOnly }),
    presence: await started(createPresence({ bus, clock, time }), stack),
    rejections: createRejections({ sql, bus, perHourMax: config.rejectedSubmissionsPerHour }),
    standings: new CurrentStandings({ ...{ sql, bus, log }, ...epochs }),
    cutOff: untilGivenUp(connection, log),
    ...{ nonces, peers, proofs, sealKeys, strangers },
  };
}

/** What is handed out of the object store. */
function outOf(
  { objects, scratch }: { readonly objects: ObjectStore; readonly scratch: string },
  config: Config,
  clock: Clock,
) {
  return {
    codeDownloads: new CodeDownloads(objects, clock, config.downloadUrlSeconds),
    documents: new Documents(objects, config.artifactBytesMax),
    keptLogs: new KeptLogs(objects, scratch),
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

function feedReads(sql: Sql): FeedReads {
  return {
    newest: () => newestCursor(sql),
    after: (cursor, limit) => eventsAfter(sql, cursor, limit),
  };
}

function streamSlots({ eventStreamsMax, eventStreamsPerAddress }: Config): StreamSlots {
  return new StreamSlots({ max: eventStreamsMax, perAddressMax: eventStreamsPerAddress });
}

function identityOf({ config, clock }: EdgeOptions, known: Omit<Identity, 'turns'>): Identity {
  return { ...known, turns: new ProofTurns(config.falseProofsPerSecond, clock) };
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

function dispatchOf(
  { config, clock, log, telemetry, checkResponses }: EdgeOptions,
  deps: OpenDeps,
  verifier: SignatureVerifier,
): Dispatch {
  const { registrations, callers, runOf, turns } = deps.identity;
  const isReadOnly = () => deps.history.lost !== undefined;
  const addressOf = remoteAddressReader(config.trustedProxies, unnamedProxies(log));
  return {
    ...openRooms({ config, clock, telemetry }, addressOf),
    isReadOnly,
    clock,
    telemetry,
    limits: dispatchLimits(config),
    rates: deps.rates,
    authenticate: createAuthenticator({
      ...{ clock, time: deps.time, decodeHotkey, verifier, turns, registrations, callers },
      rate: deps.rates.hotkey,
      skewSeconds: config.timestampSkewSeconds,
      nonces: deps.nonces,
      operators: new OperatorTokens(config.operatorTokens),
      runOf,
      onProven: (hotkey, standing, scheme) => {
        if (deps.proofs.speaksForAll(scheme)) deps.peers.speak();
        if (standing.role === 'validator') deps.presence.proven(hotkey, standing);
      },
    }),
    admit: (endpoint, request) => endpoint.admit?.(request, deps),
    invoke: (endpoint, request) => endpoint.handle(request, deps),
    newCommandId: randomId,
    remoteAddress: addressOf,
    isSecure: secureReader(config.trustedProxies),
    reportError: (error, about) => log.error('a request failed', { ...about, error }),
    checkResponses: checkResponses === true,
  };
}
