import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { closeAtOnce, listenOnLoopback, loopback } from '../../local/loopback.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ProviderId, ServedModel } from '../../ports/inference.ts';
import { Behaviour, type BehaviourPatch, type FaultScope, type StandInFault } from './behaviour.ts';
import { complete } from './completion-route.ts';
import { control } from './control-route.ts';
import { deleteKey, makeKey, showKey } from './key-routes.ts';
import { listModels } from './model-route.ts';
import { grantToken, revokeToken } from './oauth-routes.ts';
import { SignedKeys } from './signed-keys.ts';
import {
  answerError,
  type StandIn,
  type StandInCounts,
  type StandInRequest,
} from './stand-in-request.ts';

export interface StandInOptions {
  readonly provider: ProviderId;
  readonly models: readonly ServedModel[];
  /** Signs its keys: the same one makes those of an earlier process good again. */
  readonly secret: string;
  readonly clock: Clock;
  /** On 127.0.0.1; a free one unless told. */
  readonly port?: number;
}

/** A provider for developers and tests, and the strings that make it misbehave. */
export interface EmbeddedProvider {
  readonly url: string;
  readonly port: number;
  readonly counts: Readonly<StandInCounts>;
  set(patch: BehaviourPatch): void;
  /** 503 to everything unless told otherwise. */
  fail(fault?: StandInFault, scope?: FaultScope): void;
  /** Accepted no more, from now on. */
  reject(credential: string): void;
  /** As good as on its first day; what was rejected is good again. */
  heal(): void;
  stop(): Promise<void>;
}

const requestBytesMax = 16 * 1024 * 1024;

/**
 * A provider of inference as far as the project asks one: accepts each credential that begins with
 * `demo-`, issues and revokes keys, and answers chat completions with the same words each time.
 */
export async function startStandIn(options: StandInOptions): Promise<EmbeddedProvider> {
  const behaviour = new Behaviour();
  const standIn: StandIn = {
    ...{ behaviour, clock: options.clock, models: options.models },
    keys: new SignedKeys(options.secret, options.provider === 'providera' ? 'at-' : 'sk-'),
    counts: {
      ...{ requests: 0, keysMade: 0, keysRevoked: 0, modelLists: 0, completions: 0, open: 0 },
      ...{ aborted: 0, chunksSent: 0 },
    },
  };
  const routes = options.provider === 'providera' ? routesOfA : routesOfB;
  const server = createServer((message, response) => {
    serve(standIn, routes, { message, response }).catch(() => response.destroy());
  });
  // Who may call may also break it.
  const port = await listenOnLoopback(server, options.port);
  return {
    url: `http://${loopback}:${port}`,
    port,
    counts: standIn.counts,
    set: (patch) => behaviour.set(patch),
    fail: (fault = { kind: 'status', status: 503 }, scope = 'all') =>
      behaviour.set({ fault: { fault, scope } }),
    reject: (credential) => behaviour.reject(credential),
    heal: () => behaviour.heal(),
    stop: () => closeAtOnce(server),
  };
}

type Route = (standIn: StandIn, request: StandInRequest) => Promise<void> | void;

interface RouteEntry {
  readonly scope: Exclude<FaultScope, 'all'>;
  readonly run: Route;
}

const sharedRoutes: Readonly<Record<string, RouteEntry>> = {
  'GET /v1/models': { scope: 'models', run: listModels },
  'POST /v1/chat/completions': { scope: 'completions', run: complete },
};

const routesOfA: Readonly<Record<string, RouteEntry>> = {
  ...sharedRoutes,
  'POST /oauth/token': { scope: 'accounts', run: grantToken },
  'POST /oauth/revoke': { scope: 'accounts', run: revokeToken },
};

const routesOfB: Readonly<Record<string, RouteEntry>> = {
  ...sharedRoutes,
  'GET /v1/key': { scope: 'accounts', run: showKey },
  'POST /v1/keys': { scope: 'accounts', run: makeKey },
  'DELETE /v1/keys/{hash}': { scope: 'accounts', run: deleteKey },
};

async function serve(
  standIn: StandIn,
  routes: Readonly<Record<string, RouteEntry>>,
  { message, response }: { readonly message: IncomingMessage; readonly response: ServerResponse },
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  const [path = ''] = (message.url ?? '').split('?');
  const bearer = /^bearer (\S+)$/i.exec(message.headers.authorization ?? '')?.[1] ?? '';
  const body = await readBody(message);
  const plain = { ...{ message, response, path, body, bearer }, gone: gone.signal };
  if (path === '/control') return control(standIn, { ...plain, fault: undefined });
  const route =
    routes[`${message.method} ${path.replace(/^\/v1\/keys\/[^/]+$/, '/v1/keys/{hash}')}`];
  if (route === undefined) return answerError({ ...plain, fault: undefined }, 404, 'no such route');
  standIn.counts.requests += 1;
  const fault = standIn.behaviour.takeFault(route.scope);
  const request = { ...plain, fault };
  const { delayMs } = standIn.behaviour.now;
  if (delayMs > 0) await standIn.clock.sleep(delayMs, gone.signal);
  if (await metFault(standIn, request)) return;
  await route.run(standIn, request);
}

/** Whether the fault was the answer. */
async function metFault({ behaviour }: StandIn, request: StandInRequest): Promise<boolean> {
  const { fault, response, gone } = request;
  if (fault?.kind === 'cut') response.destroy();
  if (fault?.kind === 'status') {
    if (fault.retryAfterSeconds !== undefined) {
      response.setHeader('retry-after', fault.retryAfterSeconds);
    }
    answerError(request, fault.status, 'told to fail');
  }
  if (fault?.kind === 'hang') await behaviour.changed(gone);
  return fault?.kind === 'cut' || fault?.kind === 'status' || gone.aborted;
}

async function readBody(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of message) {
    sizeBytes += chunk.length;
    if (sizeBytes > requestBytesMax) throw new Error('a body beyond all measure');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
