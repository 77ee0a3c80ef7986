import { join } from 'node:path';
import { knownKeys } from '../../infra/config/config.ts';
import { operatorTokens } from '../../infra/config/named-secrets.ts';
import { freePort } from '../../infra/local/free-port.ts';
import { embeddedNetuid, type Neighbours } from './embedded.ts';
import { historyCommand } from './history-command.ts';
import {
  endsBeforeReadyMax,
  givenUp,
  type KeptProcess,
  keepRunning,
  type ProcessEnd,
  systemKeys,
} from './process-group.ts';
import type { WorldSecrets } from './secrets.ts';
import { untilHealthy } from './until-healthy.ts';

export interface ServicePlan {
  readonly edges: number;
  readonly coordinators: number;
  /** Of the first edge; 0 takes a free one. */
  readonly port: number;
  readonly dataDir: string;
  readonly neighbours: Neighbours;
  readonly secrets: WorldSecrets;
  /** Values for keys that the environment leaves out. */
  readonly defaults: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** An ended process is started again once this has settled. */
  readonly onRestart: (name: string, end: ProcessEnd) => Promise<void> | void;
  /** The database went back in time, and the command accepts that: the start waits for whoever types it. */
  readonly onHistoryLost?: (command: string) => void;
  /** What one process has to itself, such as its own way to the database; comes first of all. */
  readonly envOf?: (name: string) => Readonly<Record<string, string>>;
  /** The installed checkout that a process is of at its next start; this one where nothing is told. */
  readonly releaseRootOf?: ((name: string) => string) | undefined;
  /** Ends a start that is not wanted any more. */
  readonly signal: AbortSignal;
}

export interface RunningService extends AsyncDisposable {
  readonly baseUrls: readonly [string, ...string[]];
  readonly operatorToken: string;
  readonly edges: readonly KeptProcess[];
  readonly coordinators: readonly KeptProcess[];
}

/** Short pauses for garbage rather than few: infra/decisions/0060-eight-megabytes-of-young-garbage.md. */
const edgeEngineFlags = ['--max-semi-space-size=8'];

// Four coordinators that start at once on a busy two-core machine still make it.
const readyMs = 60_000;

/** Starts coordinators and edges as processes of their own and waits until they take writes. */
export async function startService(plan: ServicePlan): Promise<RunningService> {
  await using stack = new AsyncDisposableStack();
  const shared = sharedEnvironment(plan);
  const failed = new AbortController();
  const starting = { plan, shared, onEnd: onEndBeforeReady(plan, failed) };
  const coordinators = stopTogether(stack);
  const edges = stopTogether(stack);
  const ports = await edgePorts(plan);
  // By index, for whoever asks the first address and looks at the first edge means the same one.
  const started = [
    ...Array.from({ length: plan.coordinators }, async (_, index) => {
      coordinators[index] = await keep({ ...starting, kind: 'coordinator', index }, {});
    }),
    ...ports.map(async (port, index) => {
      edges[index] = await keep({ ...starting, kind: 'edge', index }, { PORT: String(port) });
    }),
  ];
  await Promise.allSettled(started);
  await Promise.all(started);
  const [first = '', ...rest] = ports.map((port) => `http://127.0.0.1:${port}`);
  const signal = AbortSignal.any([plan.signal, failed.signal]);
  const wait = {
    withinMs: readyMs,
    logs: join(plan.dataDir, 'logs'),
    signal,
    onHistoryLost: onceLost(plan, shared),
  };
  await Promise.all([first, ...rest].map((url) => untilHealthy(url, wait)));
  starting.onEnd.isReady = true;
  const [operator] = operatorTokens.safeParse(shared['OPERATOR_TOKENS']).data ?? [];
  const kept = stack.move();
  return {
    baseUrls: [first, ...rest],
    operatorToken: operator?.token ?? '',
    edges,
    coordinators,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Whichever edge says so first. */
function onceLost(plan: ServicePlan, shared: Readonly<Record<string, string>>) {
  const { dataDir, neighbours, onHistoryLost: tell } = plan;
  if (tell === undefined) return undefined;
  let isTold = false;
  return async () => {
    if (isTold) return;
    isTold = true;
    tell(await historyCommand(dataDir, { ...shared, DATABASE_URL: neighbours.databaseUrl }));
  };
}

/** Stopped all at once, in reverse order of these calls: the edges first, which still ask owners. */
function stopTogether(stack: AsyncDisposableStack): KeptProcess[] {
  const kept: KeptProcess[] = [];
  stack.defer(async () => {
    // Where a start failed, places may be empty.
    await Promise.all(Object.values(kept).map((process) => process.stop()));
  });
  return kept;
}

interface EndOfProcess {
  isReady: boolean;
  onEnd(ended: KeptProcess, end: ProcessEnd): Promise<void> | void;
}

function onEndBeforeReady(plan: ServicePlan, failed: AbortController): EndOfProcess {
  const ends = new Map<string, number>();
  return {
    isReady: false,
    onEnd(ended, end) {
      const mayStart = plan.onRestart(ended.name, end);
      const count = (ends.get(ended.name) ?? 0) + 1;
      ends.set(ended.name, count);
      if (this.isReady || count < endsBeforeReadyMax) return mayStart;
      failed.abort(givenUp(ended, end));
    },
  };
}

interface Starting {
  readonly plan: ServicePlan;
  readonly shared: Readonly<Record<string, string>>;
  readonly onEnd: EndOfProcess;
  readonly kind: 'coordinator' | 'edge';
  readonly index: number;
}

function keep(
  { plan, shared, onEnd, kind, index }: Starting,
  own: Readonly<Record<string, string>>,
): Promise<KeptProcess> {
  const name = `${kind}-${index + 1}`;
  const { releaseRootOf } = plan;
  // One port for metrics is one process's; the others take the ports after it.
  const order = kind === 'edge' ? index : plan.edges + index;
  const metricsPort = Number(shared['METRICS_PORT'] ?? 0);
  const metrics = metricsPort === 0 ? {} : { METRICS_PORT: String(metricsPort + order) };
  return keepRunning(
    {
      name,
      script: `apps/${kind}/main.ts`,
      releaseRoot: releaseRootOf && (() => releaseRootOf(name)),
      engineFlags: kind === 'edge' ? edgeEngineFlags : [],
      env: { ...accessOf(plan, kind), ...shared, ...own, ...metrics, ...plan.envOf?.(name) },
      log: join(plan.dataDir, 'logs', `${name}.log`),
      pidFile: join(plan.dataDir, `${name}.pid`),
    },
    (ended, end) => onEnd.onEnd(ended, end),
  );
}

/** What the caller's environment names is among the shared ones, and comes first. */
function accessOf({ neighbours }: ServicePlan, kind: Starting['kind']) {
  const { databaseUrl, natsUrl } = neighbours.access[kind];
  return { DATABASE_URL: databaseUrl, NATS_URL: natsUrl };
}

/** The same variables as any set-up has; what the caller's environment says comes first. */
function sharedEnvironment({ neighbours, secrets, defaults, env }: ServicePlan) {
  const own: Record<string, string> = {
    S3_ENDPOINT: neighbours.s3Endpoint,
    S3_BUCKET: 'paddock',
    S3_ACCESS_KEY_ID: secrets.s3AccessKeyId,
    S3_SECRET_ACCESS_KEY: secrets.s3SecretAccessKey,
    CHAIN_RPC_URL: neighbours.chainUrl,
    NETUID: String(embeddedNetuid),
    ...neighbours.inferenceVariables,
    OPERATOR_TOKENS: `world:${secrets.operatorToken}`,
    CREDENTIAL_KEYS: `world:${secrets.credentialKey}`,
    BUNDLE_SIGNING_KEY: secrets.bundleSigningKey,
    RACE_SECRET: secrets.raceSecret,
    ...defaults,
  };
  for (const key of [...systemKeys, ...knownKeys]) {
    const value = env[key];
    if (value !== undefined && value !== '') own[key] = value;
  }
  return own;
}

/** The first edge has the port that was asked for; the others free ones. */
async function edgePorts({ edges, port }: ServicePlan): Promise<readonly number[]> {
  const first = port === 0 ? await freePort() : port;
  const others = Array.from({ length: edges - 1 }, () => freePort());
  return [first, ...(await Promise.all(others))];
}
