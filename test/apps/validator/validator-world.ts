import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { prepareDemoSuite } from '../../../apps/world/demo/prepare-suite.ts';
import { exchange } from '../../../apps/world/participants/http-exchange.ts';
import { participantKeypair, participantSeed } from '../../../apps/world/participants/keys.ts';
import { connectProvider, submitAgent } from '../../../apps/world/participants/simulated-miner.ts';
import { encodeHotkey } from '../../../infra/crypto/ss58.ts';
import { clientOf, type ServiceWorld, startServiceWorld } from '../../support/service-world.ts';
import { systemEnv } from '../../support/system-env.ts';

const seed = 77;
const main = join(import.meta.dirname, '../../../apps/validator/main.ts');
const register = new URL('../../../infra/otel/register.ts', import.meta.url).href;

export interface ShopWorld extends ServiceWorld {
  readonly store: StoreGate;
}

/**
 * The shop as the active suite on a real service, one success enough, races of six tasks. Clients reach its
 * store through a gate.
 */
export async function startShopWorld(
  env: Readonly<Record<string, string>> = {},
): Promise<ShopWorld> {
  const store = await openStoreGate();
  const world = await startServiceWorld({
    ...{ edges: 1, coordinators: 1 },
    env: {
      AGENT_PACKAGES: 'shop_tools,os,socket',
      // Nobody waits for an agent's second failure.
      AGENT_FAILURE_LIMIT: '1',
      S3_PUBLIC_ENDPOINT: store.url,
      QUALIFYING_THRESHOLD: '0.1',
      RACE_TASKS: '6',
      REQUIRED_SUCCESSES_QUALIFYING: '1',
      REQUIRED_SUCCESSES_RACE: '1',
      ...env,
    },
  });
  store.target = world.neighbours.s3Endpoint;
  await prepareDemoSuite(world.operator, world.dataDir);
  const dispose = async () => {
    await world[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  };
  return { ...world, store, [Symbol.asyncDispose]: dispose };
}

/** The real store as clients reach it, and one that is away for whoever brings something. */
export interface StoreGate extends AsyncDisposable {
  readonly url: string;
  target: string;
  isShut: boolean;
  turnedAway: number;
}

async function openStoreGate(): Promise<StoreGate> {
  const gate = { target: '', isShut: false, turnedAway: 0 };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = 'GET', url = '/', headers } = request;
    if (gate.isShut && method === 'PUT') {
      gate.turnedAway += 1;
      response.writeHead(503).end();
      return;
    }
    // The host among them, as it came: it is signed.
    const sent = Object.entries(headers).filter(([, value]) => typeof value === 'string');
    const answer = await exchange({
      ...{ method, url: `${gate.target}${url}`, body: Buffer.concat(chunks) },
      headers: Object.fromEntries(sent) as Record<string, string>,
    });
    response.writeHead(answer.status).end(answer.body);
  });
  return Object.assign(gate, await listening(server));
}

/** Where a server listens from now on, until its end ends whatever is connected to it. */
async function listening(server: Server): Promise<AsyncDisposable & { readonly url: string }> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Submits a file as a miner of its own, and tells its version. */
export async function submitAs(
  world: ServiceWorld,
  index: number,
  code: string,
  credential?: string,
): Promise<string> {
  const keypair = participantKeypair(seed, 'miner', index);
  await registerAs(world, 'miner', encodeHotkey(keypair.publicKey));
  const events: object[] = [];
  const onEvent = (event: object) => void events.push(event);
  const miner = { who: `miner-${index}`, client: clientOf(world, keypair), onEvent };
  if (credential !== undefined) await connectProvider(miner, 'providera', credential);
  const version = await submitAgent(miner, { agentName: `agent-${index}`, code });
  if (version === undefined) throw new Error(`not accepted: ${JSON.stringify(events)}`);
  return version;
}

async function registerAs({ operator }: ServiceWorld, role: string, hotkey: string): Promise<void> {
  await operator.send('PUT', `/v1/admin/chain/registrations/${hotkey}`, { role, stake: 1000 });
}

/** Killed with the test that started it: one that a failed test leaves would take the work of the next. */
export interface RunningValidator extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly hotkey: string;
  readonly keyFile: string;
  readonly dataDir: string;
  readonly ended: Promise<{ readonly code: number | null; readonly log: string }>;
}

export interface ValidatorStart {
  readonly index: number;
  readonly baseUrl?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The validator as people start it: a process with variables and nothing else. */
export async function startValidator(
  world: ServiceWorld,
  { index, baseUrl, env = {} }: ValidatorStart,
): Promise<RunningValidator> {
  const { publicKey } = participantKeypair(seed, 'validator', index);
  const hotkey = encodeHotkey(publicKey);
  await registerAs(world, 'validator', hotkey);
  const dataDir = join(world.dataDir, `validator-${index}`);
  await mkdir(dataDir, { recursive: true });
  const keyFile = join(dataDir, 'hotkey');
  await writeFile(keyFile, `0x${participantSeed(seed, 'validator', index)}\n`);
  const child = spawn(process.execPath, ['--import', register, main], {
    env: {
      ...systemEnv(),
      PADDOCK_URL: baseUrl ?? world.service.baseUrls[0],
      VALIDATOR_KEY_FILE: keyFile,
      VALIDATOR_DATA_DIR: join(dataDir, 'state'),
      VALIDATOR_IDLE_SECONDS: '1',
      LOG_LEVEL: 'debug',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = Promise.all([once(child, 'close'), text(child.stderr)]).then(([[code], log]) => ({
    ...{ code, log },
  }));
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return { process: child, hotkey, keyFile, dataDir, ended, [Symbol.asyncDispose]: kill };
}

/** What stands between a validator and the service, and lets through what it is told to. */
export interface Gate extends AsyncDisposable {
  readonly url: string;
  /** Answers 503 where it says so, instead of asking. */
  isShut: (method: string, path: string) => boolean;
  /** Answers 422 where it says so. */
  isRefused: (path: string) => boolean;
  /** Paths, let through or not. */
  readonly asked: readonly string[];
  readonly turnedAway: readonly string[];
}

export async function openGate(target: string): Promise<Gate> {
  const [asked, turnedAway]: [string[], string[]] = [[], []];
  const isShut = (_method: string, _path: string) => false;
  const gate = { isShut, isRefused: (_path: string) => false, asked, turnedAway };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = 'GET', url = '/' } = request;
    asked.push(url);
    if (gate.isShut(method, url)) {
      turnedAway.push(`${method} ${url}`);
      response
        .writeHead(503, { 'retry-after': '1' })
        .end('{"detail":"shut","error_code":"OVERLOADED"}');
      return;
    }
    if (gate.isRefused(url)) {
      response.writeHead(422).end('{"detail":"not like this","error_code":"SUITE_NOT_FOUND"}');
      return;
    }
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(request.headers)) {
      const isPassed = /^(authorization|content-type|idempotency-key|x-)/.test(name);
      if (isPassed && typeof value === 'string') headers[name] = value;
    }
    const body = Buffer.concat(chunks);
    const answer = await exchange({ method, url: `${target}${url}`, headers, body });
    const type = answer.headers['content-type'];
    response.writeHead(answer.status, type === undefined ? {} : { 'content-type': type });
    response.end(answer.body);
  });
  return Object.assign(gate, await listening(server));
}
