import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { defaultPolicy, type RuntimePolicy } from '../../actors/runtime/policy.ts';
import { startCoordinator } from '../../apps/coordinator/coordinator.ts';
import { type Edge, startEdge } from '../../apps/edge/edge.ts';
import { startEmbeddedChain } from '../../infra/chain/embedded/chain-node.ts';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { type Environment, readConfig } from '../../infra/config/config.ts';
import { demoModelVariables } from '../../infra/inference/embedded/demo-variables.ts';
import type { EmbeddedObjectStoreOptions } from '../../infra/object-store/embedded/embedded-store.ts';
import { startEmbeddedObjectStore } from '../../infra/object-store/embedded/embedded-store.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import { loginUrl } from '../../infra/postgres/logins.ts';
import { privateNats, type TestDatabase, testDatabase } from './cluster.ts';
import { quickPolicy } from './counter-host.ts';
import { type Call, caller, TestKey } from './edge-client.ts';
import { farClose } from './far-close.ts';
import { silentLogger, silentTelemetry } from './silent-telemetry.ts';
import { startStandIns } from './stand-ins.ts';
import { until } from './until.ts';

// The engine optimises what ran through 13 million bytes of WebAssembly, and ruff's first file does. That
// is 2 s of processor time, more than all agents of a test file will ever win back.
setFlagsFromString('--wasm-tiering-budget=1600000000');

const netuid = 1;
/** Keys of many tests at once. */
const registeredWithinMs = 120_000;
/** Where several services start side by side, on a crowded machine. */
const readyWithinMs = 60_000;

export interface TestServiceOptions {
  /** Variables of the contract's section 9 that differ from the defaults of a test run. */
  readonly env?: Readonly<Record<string, string>>;
  /** Of edges alone, over `env`. */
  readonly edgeEnv?: Readonly<Record<string, string>>;
  readonly edges?: number;
  readonly coordinators?: number;
  /** Of all processes; silent unless told. */
  readonly log?: Logger;
  /** Of all processes; nobody reads it unless told. */
  readonly telemetry?: Telemetry;
  /** Of edges alone; the system's unless told. */
  readonly edgeClock?: Clock;
  /** Of the object store. */
  readonly objectStore?: Partial<EmbeddedObjectStoreOptions>;
  /** A fresh one unless told. */
  readonly database?: TestDatabase;
  /** Every answer is held to its schema unless told. */
  readonly checkResponses?: boolean;
  /** Of the partition runtime, over `quickPolicy`. */
  readonly policy?: Partial<RuntimePolicy>;
}

/**
 * A lease is short so that somebody else takes over soon. Where nobody else is there it is the product's:
 * on a crowded machine a process may stand still for longer than the short one.
 */
function leaseOf({ coordinators = 1 }: TestServiceOptions): Partial<RuntimePolicy> {
  return coordinators === 1 ? { leaseMs: defaultPolicy.leaseMs } : {};
}

/** High enough that 200 validators behind one address are no abuse; races close by order alone. */
const openLimits = {
  CHALLENGE_RATE_PER_MINUTE: '10000',
  SESSION_RATE_PER_MINUTE: '10000',
  PUBLIC_RATE_PER_MINUTE: '1000000',
  HOTKEY_RATE_PER_MINUTE: '1000000',
  FALSE_PROOFS_PER_SECOND: '1000000',
  ...farClose,
};

/** TEST_LOG=1 shows what the processes would write. */
const say = (message: string, fields?: object) => console.error(message, fields ?? '');
const loudLogger: Logger = {
  ...{ debug: () => undefined, info: say, warn: say, error: say },
  with: () => loudLogger,
};

/**
 * The whole service in one process, over real Postgres, NATS, an object store and a chain node:
 * one coordinator and one edge, or more, on real sockets. Call `stop` when the file is done.
 */
export async function startTestService(options: TestServiceOptions = {}) {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'paddock-service-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const keys = { accessKeyId: 'test', secretAccessKey: randomBytes(16).toString('hex') };
  const [database, nats, objects, chain, providers] = await Promise.all([
    options.database ?? testDatabase(),
    // Of its own: another service on the same broker would answer for this one's database.
    privateNats(),
    startEmbeddedObjectStore({
      ...{ dataDir: join(folder, 'objects'), ...keys },
      ...options.objectStore,
    }),
    startEmbeddedChain({ dataDir: join(folder, 'chain'), netuid, clock: systemClock }),
    startStandIns(),
  ]);
  stack.defer(() => objects.stop());
  stack.defer(() => chain.stop());
  stack.defer(() => providers.stop());
  const operatorToken = randomBytes(24).toString('hex');
  const env = {
    S3_ENDPOINT: objects.endpoint,
    S3_BUCKET: 'paddock',
    S3_ACCESS_KEY_ID: keys.accessKeyId,
    S3_SECRET_ACCESS_KEY: keys.secretAccessKey,
    CHAIN_RPC_URL: chain.url,
    NETUID: String(netuid),
    PROVIDERA_URL: providers.providera.url,
    PROVIDERB_URL: providers.providerb.url,
    ...demoModelVariables('providera'),
    ...demoModelVariables('providerb'),
    OPERATOR_TOKENS: `tester:${operatorToken}`,
    BUNDLE_SIGNING_KEY: randomBytes(32).toString('base64'),
    RACE_SECRET: randomBytes(32).toString('base64'),
    CREDENTIAL_KEYS: `test:${randomBytes(32).toString('base64')}`,
    PORT: '0',
    ...openLimits,
    ...options.env,
  };
  const usualLog = process.env['TEST_LOG'] === undefined ? silentLogger : loudLogger;
  const log = options.log ?? usualLog;
  const telemetry = options.telemetry ?? silentTelemetry;
  const common = { log, clock: systemClock, telemetry };
  // Each comes in as in production: by a login and a broker's user with the rights of its kind.
  const configOf = (kind: 'coordinator' | 'edge', other: Environment = {}) =>
    readConfig(
      {
        ...env,
        DATABASE_URL: loginUrl(database.url, kind),
        NATS_URL: nats.urls[kind],
        ...options.env,
        ...(kind === 'edge' && options.edgeEnv),
        ...other,
      },
      { process: kind },
    );
  const openCoordinator = (other?: Environment) => {
    const policy = { ...quickPolicy, ...leaseOf(options), ...options.policy };
    const writes = { policy, allowUnsafeWrites: true };
    return startCoordinator({ ...common, ...writes, config: configOf('coordinator', other) });
  };
  const openEdge = (other?: Environment) => {
    const host = '127.0.0.1';
    const { checkResponses = true, edgeClock: clock = systemClock } = options;
    const config = configOf('edge', other);
    return startEdge({ ...common, clock, config, host, checkResponses, allowUnsafeWrites: true });
  };
  const coordinators: AsyncDisposable[] = [];
  for (let count = 0; count < (options.coordinators ?? 1); count++) {
    coordinators.push(stack.use(await openCoordinator()));
  }
  const edges: Edge[] = [];
  for (let count = 0; count < (options.edges ?? 1); count++) {
    edges.push(stack.use(await openEdge()));
  }
  const baseUrls = edges.map(({ port }) => `http://127.0.0.1:${port}`);
  const [baseUrl = ''] = baseUrls;
  const call = caller(baseUrl);
  await untilReady(call);
  const bearer = { authorization: `Bearer ${operatorToken}` };
  const operator: Call = (method, path, { body, headers } = {}) =>
    call(method, path, { body, headers: { ...bearer, ...headers } });
  let offsetMs = 0;
  const nowMs = () => Date.now() + offsetMs;
  /** Moves the simulated clock on; keys sign by it from then on. Answers its instant. */
  const advance = async (seconds: number): Promise<number> => {
    const answer = await operator('POST', '/v1/admin/clock/advance', { body: { seconds } });
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
    const { now } = (await answer.json()) as { now: string };
    offsetMs = Date.parse(now) - Date.now();
    return Date.parse(now);
  };
  const register = async (seed: string, role: 'miner' | 'validator', coldkey?: string) => {
    const key = new TestKey(seed, call, nowMs);
    const path = `/v1/admin/chain/registrations/${key.hotkey}`;
    // On a crowded machine the chain node of this process may miss its deadline.
    await until(async () => {
      const answer = await operator('PUT', path, { body: { role, stake: 1000, coldkey } });
      const told = `${answer.status} ${await answer.text()}`;
      if (answer.status !== 200 && answer.status !== 503) throw new Error(told);
      return answer.status === 200;
    }, registeredWithinMs);
    return key;
  };
  const owned = stack.move();
  return {
    baseUrl,
    baseUrls,
    /** To be disposed of one by one, as in a rolling restart; `stop` takes the rest. */
    edges,
    coordinators,
    /** One more, by the same settings but for these; theirs to dispose of who asked. */
    openCoordinator,
    openEdge,
    /** With all rights, unlike the processes. */
    natsUrl: nats.url,
    operatorToken,
    /** As superuser. */
    sql: database.sql,
    databaseUrl: database.url,
    objects: { url: objects.endpoint, ...keys },
    chain,
    /** Stand-ins that can be told to misbehave. */
    providers,
    call,
    operator,
    /** The service's time, as far as `advance` moved it. */
    nowMs,
    advance,
    /** A key that nobody registered. */
    stranger: (seed: string) => new TestKey(seed, call, nowMs),
    miner: (seed: string, coldkey?: string) => register(seed, 'miner', coldkey),
    validator: (seed: string, coldkey?: string) => register(seed, 'validator', coldkey),
    stop: () => owned.disposeAsync(),
  };
}

export type TestService = Awaited<ReturnType<typeof startTestService>>;

/** What a caller needs of a service, wherever it runs. */
export type ServiceDoor = Pick<
  TestService,
  | 'baseUrls'
  | 'call'
  | 'miner'
  | 'objects'
  | 'operator'
  | 'operatorToken'
  | 'sql'
  | 'stranger'
  | 'validator'
>;

async function untilReady(call: Call): Promise<void> {
  const deadline = Date.now() + readyWithinMs;
  for (;;) {
    const answer = await call('GET', '/health/deep');
    const text = await answer.text();
    if (answer.status === 200) return;
    if (Date.now() > deadline) throw new Error(`not ready: ${text}`);
    await sleep(20);
  }
}
