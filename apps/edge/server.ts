import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import express, { type ErrorRequestHandler, type Express } from 'express';
import { Fault } from '../../machines/fault.ts';
import { discardRest, sendFault, sendPlain } from './answer.ts';
import { type Dispatch, dispatch } from './dispatch.ts';
import type { Endpoint } from './endpoint.ts';
import { incomingTraceId } from './middleware/trace-id.ts';
import { isAnonymous, tooOftenAnonymous } from './prove-caller.ts';
import { lacksHost, refuseTunnel, refuseUnreadable } from './unreadable.ts';
import { invalidField } from './validation.ts';

export interface EdgeServerOptions {
  readonly endpoints: readonly Endpoint[];
  readonly dispatch: Dispatch;
  readonly newTraceId: () => string;
  /** An idle connection is kept this long: clients that reuse one later lose their request. */
  readonly idleConnectionMs: number;
  readonly drainMs: number;
  /** An answer of which nothing more is taken for so long is given up: it stays in our memory. */
  readonly unreadMs: number;
}

/** The HTTP server of one edge process. */
export interface EdgeServer extends AsyncDisposable {
  /** Resolves with the port; 0 takes a free one. */
  listen(port: number, host: string): Promise<number>;
  /** Accepts nothing more, answers what was read, then closes; at the latest after `drainMs`. */
  drain(): Promise<void>;
}

export function createEdgeServer(options: EdgeServerOptions): EdgeServer {
  const state: ServerState = { draining: false, open: new Set() };
  const app = createApp(options, state);
  const server = createServer({ requireHostHeader: false }, app);
  answerOddities(server, app, { newTraceId: options.newTraceId, open: state.open });
  server.keepAliveTimeout = options.idleConnectionMs;
  server.headersTimeout = headersMs;
  server.requestTimeout = uploadMs;
  server.timeout = options.unreadMs;
  server.on('timeout', (socket) => endIdle(socket, state.open));
  let drained: Promise<void> | undefined;
  const drain = () => {
    state.draining = true;
    for (const response of state.open) sayGoodbye(response);
    drained ??= close(server, options);
    return drained;
  };
  return {
    listen: (port, host) => listen(server, port, host),
    drain,
    [Symbol.asyncDispose]: drain,
  };
}

/** Headers fit in one packet; who takes longer holds a socket for nothing. */
const headersMs = 15_000;
/** The longest body is a pack of up to 4 GiB; JSON bodies are bounded by their own budget. */
const uploadMs = 600_000;

export interface ServerState {
  draining: boolean;
  readonly open: Set<ServerResponse>;
}

/**
 * Nothing went over the socket for `unreadMs`, or for the time that an idle connection is kept. Work
 * that takes so long may go on, and so may a stream that has nothing to say; an answer that nobody
 * reads, or no request at all, may not.
 */
function endIdle(socket: Socket, open: ReadonlySet<ServerResponse>): void {
  const answers = [...open].filter((response) => response.socket === socket);
  const isDone = answers.every(({ writableEnded }) => writableEnded);
  if (isDone || answers.some(({ writableNeedDrain }) => writableNeedDrain)) socket.destroy();
}

/** Node's own answers to these have no body, or say nothing at all. */
function answerOddities(
  server: Server,
  app: Express,
  known: { readonly newTraceId: () => string; readonly open: ReadonlySet<ServerResponse> },
): void {
  server.on('clientError', (error, socket) => {
    const answers = [...known.open].filter((response) => response.socket === socket);
    const hasBegunToAnswer = answers.some(({ headersSent }) => headersSent);
    refuseUnreadable(error, socket, { traceId: known.newTraceId(), hasBegunToAnswer });
  });
  server.on('connect', (_request, socket) => refuseTunnel(socket, known.newTraceId()));
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

/** The client must know before it sends the next request on this connection. */
function sayGoodbye(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

/** Exported for a look at its routes. */
export function createApp(options: EdgeServerOptions, state: ServerState): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.use((request, response, next) => {
    setCommonHeaders(request, response, options);
    if (lacksHost(request)) {
      sendPlain(response, 400, 'HTTP/1.1 demands a Host header.');
      discardRest(request);
      return;
    }
    if (state.draining) sayGoodbye(response);
    state.open.add(response);
    response.once('close', () => state.open.delete(response));
    next();
  });
  addRoutes(app, options);
  app.use(async (request, response) => {
    const fault = new Fault('ROUTE_NOT_FOUND', 'There is no such route.');
    await refuseUnrouted({ request, response }, fault, options.dispatch);
  });
  app.use(unreadablePath(options.dispatch));
  return app;
}

function setCommonHeaders(
  request: IncomingMessage,
  response: ServerResponse,
  options: EdgeServerOptions,
): void {
  response.setHeader('X-Request-Id', incomingTraceId(request) ?? options.newTraceId());
  response.setHeader('X-Content-Type-Options', 'nosniff');
  // What may be kept says so itself.
  response.setHeader('Cache-Control', 'no-store');
}

function addRoutes(app: Express, options: EdgeServerOptions): void {
  const byPath = Map.groupBy(options.endpoints, ({ path }) => path);
  for (const [path, endpoints] of byPath) {
    const route = app.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
    for (const endpoint of endpoints) {
      route[endpoint.method](async (request, response) => {
        await dispatch(endpoint, { request, response }, request.params, options.dispatch);
      });
    }
    const allow = allowedMethods(endpoints);
    route.all(async (request, response) => {
      response.setHeader('Allow', allow);
      const fault = new Fault('METHOD_NOT_ALLOWED', `This route knows ${allow} only.`);
      await refuseUnrouted({ request, response }, fault, options.dispatch);
    });
  }
}

/** Whoever looks for routes without credentials is counted like any other stranger. */
async function refuseUnrouted(
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  fault: Fault,
  by: Dispatch,
): Promise<void> {
  const tooOften = isAnonymous(request.headers) ? await tooOftenAnonymous(request, by) : undefined;
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

async function listen(server: Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP port was bound');
  return address.port;
}

/** `close` also ends the idle connections; busy ones end with their answers (`Connection: close`). */
async function close(server: Server, options: EdgeServerOptions): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const patience = new AbortController();
  const late = options.dispatch.clock.sleep(options.drainMs, patience.signal);
  await Promise.race([closed, late.catch(() => undefined)]);
  patience.abort();
  server.closeAllConnections();
  await closed;
}
