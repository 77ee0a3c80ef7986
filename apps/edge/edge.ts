import { setMaxListeners } from 'node:events';
import { createVerifierPool } from '../../infra/crypto/sr25519-verifier.ts';
import { decodeHotkey } from '../../infra/crypto/ss58.ts';
import { randomId } from '../../infra/ids/ids.ts';
import { presignedEndpoint } from '../../infra/object-store/s3-options.ts';
import { freshTraceId } from '../../infra/otel/fresh-ids.ts';
import type { SignatureVerifier } from '../../infra/ports/signatures.ts';
import { objectStoreOptions } from '../object-store-options.ts';
import { createAuthenticator } from './auth/authenticator.ts';
import { countedVerifier } from './auth/counted-verifier.ts';
import { familiarity } from './auth/familiar.ts';
import { OperatorTokens } from './auth/operator-tokens.ts';
import { begun } from './begun.ts';
import type { Dispatch } from './dispatch.ts';
import { dispatchLimits } from './dispatch-limits.ts';
import type { EdgeOptions } from './edge-options.ts';
import { remoteAddressReader, secureReader } from './middleware/remote-address.ts';
import { unnamedProxies } from './middleware/unnamed-proxies.ts';
import { type OpenDeps, openDeps } from './open-deps.ts';
import { readPageFiles } from './pages/page-files.ts';
import { Pages } from './pages/pages.ts';
import { openRooms } from './rooms.ts';
import { endpoints } from './routes/index.ts';
import { withSuccessor } from './routes/miner/legacy-credential-routes.ts';
import { createEdgeServer } from './server.ts';
import { serverLimits } from './server-limits.ts';

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
  const store = new URL(presignedEndpoint(objectStoreOptions(config)));
  if (files !== undefined) return new Pages(files, store.origin);
  log.warn('the pages are not built: "node apps/dashboard/build.mjs" builds them');
  return undefined;
}

// One thread checks more signatures a second than one event loop serves requests.
const verifierThreads = 1;
// The rest of the time is for closing what is behind the server.
const drainShare = 0.8;

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
