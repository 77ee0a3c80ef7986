import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { Fault } from '../../machines/fault.ts';
import { refusal } from '../../machines/refusal.ts';
import { discardRest, sendFault, sendPlain } from './answer.ts';
import { beginHead, settleHead } from './answer-head.ts';
import { hasOwnTime } from './body-time.ts';
import { closeServers } from './close-servers.ts';
import { ConstantAnswers } from './constant-answers.ts';
import { type Dispatch, dispatch } from './dispatch.ts';
import type { Endpoint } from './endpoint.ts';
import { isGivenUp } from './given-up.ts';
import { listenersMax, listenTogether } from './listeners.ts';
import { BodyPace } from './middleware/body-pace.ts';
import { ConnectionSlots } from './middleware/connection-slots.ts';
import { CrossOrigin } from './middleware/cross-origin.ts';
import { addressBlock, plainAddress } from './middleware/ip-address.ts';
import { announcesBody } from './middleware/json-body.ts';
import { proxyCheck } from './middleware/remote-address.ts';
import type { StrangersLane, StrangersQueue } from './middleware/strangers-queue.ts';
import { incomingTraceId } from './middleware/trace-id.ts';
import { OpenAnswers } from './open-answers.ts';
import type { Pages } from './pages/pages.ts';
import { expressPath, PlainRoutes } from './plain-routes.ts';
import { tooOftenAnonymous } from './prove-caller.ts';
import { isHealthCheck, isRead, shedRead, tooMuch } from './shed-reads.ts';
import { oddityOf, refuseConnection, refuseTunnel, refuseUnreadable } from './unreadable.ts';
import { invalidField } from './validation.ts';

export interface EdgeServerOptions {
  readonly endpoints: readonly Endpoint[];
  readonly dispatch: Dispatch;
  readonly newTraceId: () => string;
  /** Told of what answers without Express, whose instrumentation tells the trace of all else. */
  readonly nameRoute: (path: string) => void;
  readonly drainMs: number;
  readonly limits: ServerLimits;
  /** Addresses and ranges. */
  readonly trustedProxies: readonly string[];
  /** Whose pages may read what is public. */
  readonly corsOrigins: readonly string[];
  /** Whether its sender proved a short while ago who he is: such requests wait behind no burst of others. */
  readonly isFamiliar: (request: IncomingMessage) => boolean;
  /** Where all others wait for their turn. */
  readonly strangers: StrangersQueue;
  /** Undefined where they were not built; the API is the same without them. */
  readonly pages: Pages | undefined;
}

/** What one connection may hold and for how long, and how many there may be. */
export interface ServerLimits {
  /** For the headers of a request, also for the first one of a connection. */
  readonly headerMs: number;
  /** A body that brings less than this is given up. */
  readonly bodyBytesPerSecondMin: number;
  /** For all of a request, but for files, which have a time of their own. */
  readonly requestMs: number;
  /** An idle connection is kept this long: clients that reuse one later lose their request. */
  readonly idleConnectionMs: number;
  /** An answer of which nothing more is taken for so long is given up: it stays in our memory. */
  readonly unreadMs: number;
  readonly connectionsMax: number;
  /** From one IPv4 address or IPv6 /64; trusted proxies are exempt. */
  readonly connectionsPerAddressMax: number;
}

/** The HTTP server of one edge process. */
export interface EdgeServer extends AsyncDisposable {
  /** Resolves with the port; 0 takes a free one. */
  listen(port: number, host: string): Promise<number>;
  /**
   * Accepts nothing more, answers what was read, then closes; at the latest after `drainMs`, with a
   * refusal of what takes longer.
   */
  drain(): Promise<void>;
}

export function createEdgeServer(options: EdgeServerOptions): EdgeServer {
  const { limits, dispatch: by } = options;
  const onDrip = () => by.telemetry.count('paddock.edge.drips', 1, { what: 'body' });
  const pace = new BodyPace(limits.bodyBytesPerSecondMin, onDrip);
  const state: ServerState = { draining: false, open: new OpenAnswers(), pace, healthChecks: 0 };
  const app = createApp(options, state);
  const bound = connectionBound(options);
  const onRequest = listener(options, state, app);
  const create = () => {
    const server = createServer(serverOptions, onRequest);
    answerOddities(server, app, { newTraceId: options.newTraceId, open: state.open });
    server.on('connection', bound);
    server.keepAliveTimeout = limits.idleConnectionMs;
    server.headersTimeout = limits.headerMs;
    server.requestTimeout = limits.requestMs;
    // Node would drop those beyond in silence; `oddityOf` refuses them. Their bytes are bounded.
    server.maxHeadersCount = 0;
    server.timeout = limits.unreadMs;
    server.on('timeout', (socket) => endIdle(socket, state.open));
    return server;
  };
  const others = Array.from({ length: listenersMax - 1 }, create);
  const servers = [create(), ...others] as const;
  const stopSweep = by.clock.every(sweepMs, () => {
    pace.endDrips(by.clock.monotonicMs());
    by.publicReads.large.endDrips();
  });
  let drained: Promise<void> | undefined;
  const closing = { clock: by.clock, open: state.open, withinMs: options.drainMs };
  const drain = () => {
    state.draining = true;
    for (const response of state.open) sayGoodbye(response);
    drained ??= closeServers(servers, closing).finally(stopSweep);
    return drained;
  };
  return {
    listen: (port, host) => listenTogether(servers, { port, host }),
    drain,
    [Symbol.asyncDispose]: drain,
  };
}

/**
 * What is asked for in its plainest spelling is answered without Express, which gives each request and
 * each answer another prototype and so makes everything that touches them slower. All else goes through
 * it: a query, what has to be decoded, other methods, what nobody knows. test/edge/plain-paths.test.ts
 * holds the two ways against each other.
 */
function listener(options: EdgeServerOptions, state: ServerState, app: Express): RequestListener {
  const { dispatch: by, endpoints, newTraceId } = options;
  const requestIdOf = (request: IncomingMessage) => incomingTraceId(request) ?? newTraceId();
  const constants = new ConstantAnswers(endpoints, { requestIdOf, dispatch: by });
  const isOpen = options.corsOrigins.length > 0;
  const plain = new PlainRoutes(inOrderOfHurry(endpoints));
  const isShed = (request: IncomingMessage, response: ServerResponse) => {
    if (!options.strangers.isFull('read') || !isRead(request)) return false;
    const about = { requestId: requestIdOf(request), isSecure: by.isSecure(request) };
    const isRefused = shedRead(request, response, about);
    if (isRefused) countShed('read', by);
    return isRefused;
  };
  return (request, response) => {
    if (!isOpen && !state.draining && constants.give(request, response)) return;
    if (!state.draining && isShed(request, response)) return;
    const routed = isOpen ? undefined : plain.find(request.method ?? '', request.url ?? '');
    if (routed === undefined) return app(request, response);
    const { endpoint, params, pattern } = routed;
    const http = { request, response };
    options.nameRoute(pattern);
    enter(http, { options, state }, () => void dispatch(endpoint, http, params, by));
  };
}

const serverOptions = {
  // `oddityOf` says it in JSON.
  requireHostHeader: false,
  // How late late headers are noticed; Node's own is half a minute.
  connectionsCheckingInterval: 1_000,
  // Whatever names no body begins with one that has ended, which costs it no stream; nobody is told
  // of that end, so whoever reads a body asks first whether one is announced.
  optimizeEmptyRequests: true,
  // A peer that lost its power says nothing; the kernel asks whether it is there.
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
} as const;
const sweepMs = 1_000;
/** Answers that one connection may be waiting for: no client of ours pipelines at all. */
const pipelinedMax = 32;
const healthChecksMax = 64;

export interface ServerState {
  draining: boolean;
  readonly open: OpenAnswers;
  readonly pace: Pick<BodyPace, 'watch'>;
  healthChecks: number;
}

/** Who comes when all places are taken is told so at once, before a byte of it is read. */
function connectionBound(options: EdgeServerOptions): (socket: Socket) => void {
  const { connectionsMax: max, connectionsPerAddressMax: perBlockMax } = options.limits;
  const slots = new ConnectionSlots({ max, perBlockMax });
  const isProxy = proxyCheck(options.trustedProxies);
  return (socket) => {
    const { remoteAddress } = socket;
    const address = plainAddress(remoteAddress ?? '') ?? '';
    const block = isProxy(remoteAddress) ? undefined : addressBlock(address);
    if (slots.enter(block) === undefined) socket.once('close', () => slots.leave(block));
    else {
      countShed('connection', options.dispatch);
      refuseConnection(socket, options.newTraceId());
    }
  };
}

/**
 * Nothing went over the socket for `unreadMs`, or for the time that an idle connection is kept. Work
 * that takes so long may go on, and so may a stream that has nothing to say; an answer that nobody
 * reads, or no request at all, may not.
 */
function endIdle(socket: Socket, open: OpenAnswers): void {
  const answers = open.on(socket);
  const isDone = answers.every(({ writableEnded }) => writableEnded);
  if (isDone || answers.some(({ writableNeedDrain }) => writableNeedDrain)) socket.destroy();
}

/** Node's own answers to these have no body, or say nothing at all. */
function answerOddities(
  server: Server,
  app: Express,
  known: { readonly newTraceId: () => string; readonly open: OpenAnswers },
): void {
  server.on('clientError', (error, socket) => {
    const answers = known.open.on(socket as Socket);
    // Node says so once for each request, and then leaves it alone.
    if (isLate(error) && answers.some(({ req }) => hasOwnTime(req))) return;
    if (answers.length > 0 && answers.every(({ req }) => req.complete)) endBehind(answers, socket);
    else {
      const hasBegunToAnswer = answers.length > 1 || answers.some(({ headersSent }) => headersSent);
      refuseUnreadable(error, socket, { traceId: known.newTraceId(), hasBegunToAnswer });
    }
  });
  server.on('connect', (_request, socket) => refuseTunnel(socket as Socket, known.newTraceId()));
  server.on('checkContinue', (request, response) => {
    // Who is refused without the word to go on may send the body or the next request: both would
    // look alike, so the connection ends there. `letBodyCome` takes this back.
    response.shouldKeepAlive = false;
    app(request, response);
  });
  server.on('checkExpectation', (_request, response) => {
    response.setHeader('X-Request-Id', known.newTraceId());
    sendPlain(response, 417, 'Only 100-continue may be expected.');
  });
}

function isLate(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
}

/** What follows whole requests is none: they are still answered, and nothing behind them is read. */
function endBehind(answers: readonly ServerResponse[], socket: Duplex): void {
  socket.pause();
  const last = answers.at(-1);
  if (last === undefined) return;
  sayGoodbye(last);
  last.once('close', () => socket.destroy());
}

/** The client must know before it sends the next request on this connection. */
function sayGoodbye(response: ServerResponse): void {
  if (response.headersSent) return;
  settleHead(response);
  response.setHeader('Connection', 'close');
}

/** Exported for a look at its routes. */
export function createApp(options: EdgeServerOptions, state: ServerState): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.use((request, response, next) => enter({ request, response }, { options, state }, next));
  addRoutes(app, options);
  if (options.pages !== undefined) app.use(showPages(options.pages, options.dispatch));
  app.use(async (request, response) => {
    const fault = refusal('ROUTE_NOT_FOUND');
    await refuseUnrouted({ request, response }, fault, options.dispatch);
  });
  app.use(unreadablePath(options.dispatch));
  return app;
}

/** Whoever reads pages is counted by address: no header that is not looked at can change that. */
function showPages(pages: Pages, by: Dispatch): RequestHandler {
  return async (request, response, next) => {
    const send = pages.find(request);
    if (send === undefined) {
      next();
      return;
    }
    const tooOften = await tooOftenAnonymous(request, by);
    if (tooOften !== undefined) sendFault(response, tooOften);
    else if (!isGivenUp(response)) send(response);
  };
}

/** What every request meets before its route: `next` at once or after a wait, unless it is refused. */
function enter(
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  { options, state }: { readonly options: EdgeServerOptions; readonly state: ServerState },
  next: () => void,
): void {
  const { newTraceId, dispatch } = options;
  const requestId = incomingTraceId(request) ?? newTraceId();
  beginHead(response, { requestId, isSecure: dispatch.isSecure(request) });
  const oddity = oddityOf(request);
  if (oddity !== undefined) {
    sendPlain(response, oddity.status, oddity.detail);
    discardRest(request);
    return;
  }
  if (announcesBody(request)) state.pace.watch(request, options.dispatch.clock.monotonicMs());
  if (state.draining) sayGoodbye(response);
  const waiting = state.open.add(response);
  if (waiting > pipelinedMax) {
    countShed('pipeline', dispatch);
    refusePipelined(request, response);
    return;
  }
  // Of what is pipelined, only whose turn it is hears of the end of its connection.
  const isAlone = waiting === 1;
  if ((isAlone && isCheckAhead({ request, response }, state)) || options.isFamiliar(request)) {
    next();
    return;
  }
  const lane = isRead(request) ? 'read' : 'proof';
  const begin = () => {
    if (!isGivenUp(response)) next();
  };
  if (options.strangers.add(lane, request.socket, begin)) return;
  countShed(lane, dispatch);
  sendFault(response, tooMuch);
  discardRest(request);
}

/** Whether it is a health check of so few that they cost nobody anything; a flood of them waits as others do. */
function isCheckAhead(
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  state: ServerState,
): boolean {
  if (!isHealthCheck(request) || state.healthChecks >= healthChecksMax) return false;
  state.healthChecks += 1;
  response.once('close', () => {
    state.healthChecks -= 1;
  });
  return true;
}

/** No other number tells of what is refused before its route. */
function countShed(
  lane: StrangersLane | 'connection' | 'pipeline',
  { telemetry }: Pick<Dispatch, 'telemetry'>,
): void {
  telemetry.count('paddock.edge.shed', 1, { lane });
}

/** The connection ends with this answer, so what comes behind it is not even begun. */
function refusePipelined(request: IncomingMessage, response: ServerResponse): void {
  response.shouldKeepAlive = false;
  sendFault(
    response,
    refusal('OVERLOADED', { says: 'Too many requests wait on this connection.' }),
  );
  discardRest(request);
}

function addRoutes(app: Express, options: EdgeServerOptions): void {
  const crossOrigin = new CrossOrigin(options.corsOrigins);
  const byPath = Map.groupBy(inOrderOfHurry(options.endpoints), ({ path }) => path);
  for (const [path, endpoints] of byPath) {
    const route = app.route(expressPath({ path }));
    for (const endpoint of endpoints) {
      route[endpoint.method](async (request, response) => {
        if (isPublicRead(endpoint)) crossOrigin.grant(request, response);
        await dispatch(endpoint, { request, response }, request.params, options.dispatch);
      });
    }
    const allow = allowedMethods(endpoints);
    const mayBeShown = endpoints.some(isPublicRead);
    route.all(async (request, response) => {
      if (mayBeShown && crossOrigin.answerPreflight(request, response)) return;
      settleHead(response);
      response.setHeader('Allow', allow);
      const fault = refusal('METHOD_NOT_ALLOWED', { says: `This route knows ${allow} only.` });
      await refuseUnrouted({ request, response }, fault, options.dispatch);
    });
  }
}

/**
 * Express tries routes one by one, as they were added: what half of all requests asks for, honest or
 * forged, comes first. Among the others the given order says which of two that match is meant.
 */
function inOrderOfHurry(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const isHurried = ({ trafficClass }: Endpoint) => trafficClass === 0;
  return [...endpoints.filter(isHurried), ...endpoints.filter((each) => !isHurried(each))];
}

const isPublicRead = ({ role, method }: Endpoint) => role === 'public' && method === 'get';

/** Whoever looks for routes is counted by address, as at public ones, whatever credentials it shows. */
async function refuseUnrouted(
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  fault: Fault,
  by: Dispatch,
): Promise<void> {
  const tooOften = await tooOftenAnonymous(request, by);
  sendFault(response, tooOften ?? fault);
  discardRest(request);
}

function allowedMethods(endpoints: readonly Endpoint[]): string {
  return endpoints
    .flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))
    .join(', ');
}

/** What is thrown before any handler: a path whose percent encoding cannot be read. */
function unreadablePath(by: Dispatch): ErrorRequestHandler {
  return async (_error, request, response, _next) => {
    const fault = invalidField(['path'], 'must be UTF-8 in percent encoding');
    await refuseUnrouted({ request, response }, fault, by);
  };
}
