import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedChain } from '../../infra/chain/embedded/chain-node.ts';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { demoModels } from '../../infra/inference/embedded/demo-models.ts';
import { demoModelVariables } from '../../infra/inference/embedded/demo-variables.ts';
import { type EmbeddedProvider, startStandIn } from '../../infra/inference/embedded/stand-in.ts';
import { startNats } from '../../infra/local/nats.ts';
import { startPostgres } from '../../infra/local/postgres.ts';
import { startEmbeddedObjectStore } from '../../infra/object-store/embedded/embedded-store.ts';
import { type ProviderId, providerIds } from '../../infra/ports/inference.ts';
import { type LoginKind, loginUrl } from '../../infra/postgres/logins.ts';
import { migrate } from '../../infra/postgres/migrate.ts';
import type { WorldSecrets } from './secrets.ts';

/** Database, broker, object store, chain node and providers, or what the environment names. */
export interface Neighbours extends AsyncDisposable {
  /** With all rights, as what the environment names may have. */
  readonly databaseUrl: string;
  readonly natsUrl: string;
  /** How each kind of process gets in: with its own rights where the server was started here. */
  readonly access: Readonly<Record<LoginKind, ProcessAccess>>;
  readonly s3Endpoint: string;
  readonly chainUrl: string;
  /** Where the providers that were started here are, and what agents may call there. */
  readonly inferenceVariables: Readonly<Record<string, string>>;
  /** Null where the environment named a server of its own. */
  readonly pids: { readonly postgres: number | null; readonly nats: number | null };
  /** Settles when a server that was started here has ended by itself: the world cannot go on. */
  readonly lost: Promise<string>;
}

export interface ProcessAccess {
  readonly databaseUrl: string;
  readonly natsUrl: string;
}

export const embeddedNetuid = 1;

export interface NeighbourOptions {
  readonly dataDir: string;
  readonly secrets: WorldSecrets;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Told of each part as soon as it can be used. */
  readonly onReady: (part: string, tookMs: number) => void;
}

/** Starts what the environment does not name; everything started is stopped on disposal. */
export async function startNeighbours(options: NeighbourOptions): Promise<Neighbours> {
  const { dataDir, env } = options;
  await mkdir(join(dataDir, 'logs'), { recursive: true });
  await using stack = new AsyncDisposableStack();
  const log = (name: string) => join(dataDir, 'logs', `${name}.log`);
  const own = { stack, options };
  const serverBin = env['NATS_SERVER_BIN'];

  const [postgres, nats, objects, chain, ...providers] = await allStarted([
    unlessGiven(env['DATABASE_URL'], { ...own, part: 'PostgreSQL' }, () =>
      startPostgres({ dataDir: join(dataDir, 'postgres'), log: log('postgres') }),
    ),
    unlessGiven(env['NATS_URL'], { ...own, part: 'NATS with JetStream' }, () =>
      startNats({
        storeDir: join(dataDir, 'nats'),
        log: log('nats'),
        ...(serverBin !== undefined && serverBin !== '' && { serverBin }),
      }),
    ),
    unlessGiven(env['S3_ENDPOINT'], { ...own, part: 'object store (S3)' }, () =>
      startEmbeddedObjectStore({
        dataDir: join(dataDir, 'objects'),
        accessKeyId: options.secrets.s3AccessKeyId,
        secretAccessKey: options.secrets.s3SecretAccessKey,
      }),
    ),
    unlessGiven(env['CHAIN_RPC_URL'], { ...own, part: 'chain node' }, () =>
      startEmbeddedChain({
        dataDir: join(dataDir, 'chain'),
        netuid: embeddedNetuid,
        clock: systemClock,
      }),
    ),
    ...providerIds.map((id) => startProvider(id, own)),
  ] as const);

  const databaseUrl = env['DATABASE_URL'] || `${postgres?.url}`;
  await timed(options, 'database schema', () => migrate(databaseUrl));
  const natsUrl = env['NATS_URL'] || `${nats?.url}`;
  const accessOf = (kind: LoginKind): ProcessAccess => ({
    databaseUrl: postgres === undefined ? databaseUrl : loginUrl(databaseUrl, kind),
    natsUrl: nats?.urls[kind] ?? natsUrl,
  });
  const kept = stack.move();
  return {
    databaseUrl,
    natsUrl,
    access: { edge: accessOf('edge'), coordinator: accessOf('coordinator') },
    s3Endpoint: env['S3_ENDPOINT'] || `${objects?.endpoint}`,
    chainUrl: env['CHAIN_RPC_URL'] || `${chain?.url}`,
    inferenceVariables: Object.assign({}, ...providers),
    pids: { postgres: postgres?.pid ?? null, nats: nats?.pid ?? null },
    lost: Promise.race([endOf('PostgreSQL', postgres), endOf('The NATS server', nats)]),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Its variables; none where the environment names one, whose models only the operator knows. */
async function startProvider(
  provider: ProviderId,
  { options, stack }: Omit<Starting, 'part'>,
): Promise<Readonly<Record<string, string>>> {
  const key = provider.toUpperCase();
  const part = `inference (${provider})`;
  const started = await unlessGiven<EmbeddedProvider>(
    options.env[`${key}_URL`],
    { part, stack, options },
    () =>
      startStandIn({
        ...{ provider, clock: systemClock, models: demoModels[provider].served },
        secret: options.secrets.providerSecret,
      }),
  );
  if (started === undefined) return {};
  // For who wants to tell it to misbehave.
  await writeFile(join(options.dataDir, `${provider}.url`), `${started.url}\n`);
  // Aliases and monitored models are of the demo's list; who brings one of their own brings these too.
  const hasOwnModels = (options.env[`${key}_MODELS`] ?? '') !== '';
  return { [`${key}_URL`]: started.url, ...(hasOwnModels ? {} : demoModelVariables(provider)) };
}

interface Starting {
  readonly part: string;
  readonly stack: AsyncDisposableStack;
  readonly options: NeighbourOptions;
}

async function unlessGiven<Server extends { stop(): Promise<void> }>(
  url: string | undefined,
  { part, stack, options }: Starting,
  start: () => Promise<Server>,
): Promise<Server | undefined> {
  if (url !== undefined && url !== '') return undefined;
  return stack.adopt(await timed(options, part, start), (server) => server.stop());
}

async function timed<T>(
  { onReady }: NeighbourOptions,
  part: string,
  start: () => Promise<T>,
): Promise<T> {
  const startedMs = systemClock.monotonicMs();
  const started = await start();
  onReady(part, systemClock.monotonicMs() - startedMs);
  return started;
}

/** Waits for all of them even if one fails: what starts later would be stopped by nobody. */
async function allStarted<const T extends readonly unknown[]>(
  starts: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(starts);
  return await Promise.all(starts);
}

function endOf(
  name: string,
  server: { readonly exited: Promise<unknown> } | undefined,
): Promise<string> {
  return server === undefined ? new Promise(() => undefined) : server.exited.then(() => name);
}
