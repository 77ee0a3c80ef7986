import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { LiveRules } from '../../apps/verify/live/checks/check.ts';
import { type Neighbours, startNeighbours } from '../../apps/world/embedded.ts';
import { type OperatorClient, operatorClient } from '../../apps/world/operator-client.ts';
import { participantKeypair } from '../../apps/world/participants/keys.ts';
import { type SignedClient, signedClient } from '../../apps/world/participants/signed-client.ts';
import { worldSecrets } from '../../apps/world/secrets.ts';
import { type RunningService, startService } from '../../apps/world/start-service.ts';
import { systemClock } from '../../infra/clock/system-clock.ts';
import type { Keypair } from '../../infra/crypto/sr25519-signer.ts';
import { encodeHotkey } from '../../infra/crypto/ss58.ts';
import { writePack } from '../../infra/packs/write-pack.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../infra/postgres/client.ts';
import { farClose } from './far-close.ts';
import { inParallel } from './in-parallel.ts';
import { serviceNodeOptions } from './profiled.ts';
import { systemEnv } from './system-env.ts';
import { temporaryFolder } from './temporary-servers.ts';

export interface ServiceWorldOptions {
  readonly edges: number;
  readonly coordinators: number;
  /** Of the service; DATABASE_URL, NATS_URL … name servers that are not to be started here. */
  readonly env?: Readonly<Record<string, string>>;
  readonly onRestart?: (name: string) => void;
}

/** The service as it really runs: processes of their own, a database with fsync, a broker. */
export interface ServiceWorld extends AsyncDisposable {
  readonly dataDir: string;
  readonly neighbours: Neighbours;
  readonly service: RunningService;
  readonly operator: OperatorClient;
  /** As superuser. */
  readonly sql: Sql;
  /** More processes beside the running ones, on the same database. An edge comes with them. */
  addCoordinators(count: number): Promise<RunningService>;
}

/** High enough that hundreds of validators behind one address are no abuse; races close by order alone. */
export const openLimits = {
  CHALLENGE_RATE_PER_MINUTE: '1000000',
  SESSION_RATE_PER_MINUTE: '1000000',
  // A benchmark asks for more than a million on a quick machine.
  PUBLIC_RATE_PER_MINUTE: '100000000',
  HOTKEY_RATE_PER_MINUTE: '1000000',
  FALSE_PROOFS_PER_SECOND: '1000000',
  COOLDOWN_SECONDS: '0',
  LOG_LEVEL: 'warn',
  ...farClose,
};

/** What the live check is told of a service under these limits; how it stands says nothing of them. */
export const openRules: LiveRules = {
  cooldownMs: Number(openLimits.COOLDOWN_SECONDS) * 1000,
  // As the contract has them: no world of these limits has others.
  ...{ codePrivateMs: 432_000_000, noProgressMs: 3_600_000, runLimitMs: 7_200_000 },
};

export async function startServiceWorld(options: ServiceWorldOptions): Promise<ServiceWorld> {
  await using stack = new AsyncDisposableStack();
  const dataDir = await temporaryFolder();
  if (process.env['KEEP_DATA'] === undefined) {
    stack.defer(() =>
      rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }),
    );
  }
  const env = { ...systemEnv(), NODE_OPTIONS: serviceNodeOptions(), ...openLimits, ...options.env };
  const secrets = await worldSecrets(dataDir);
  const started = { dataDir, secrets, env, onReady: () => undefined };
  const neighbours = stack.use(await startNeighbours(started));
  const plan = {
    ...{ port: 0, neighbours, secrets, env, log: undefined, defaults: {} },
    onRestart: options.onRestart ?? (() => undefined),
    signal: AbortSignal.timeout(startMs),
  };
  const { edges, coordinators } = options;
  const service = stack.use(await startService({ ...plan, edges, coordinators, dataDir }));
  // A checker reads all events at once, which takes longer than a statement of the product may.
  const database = { url: neighbours.databaseUrl, applicationName: 'test', statementTimeoutMs: 0 };
  const sql = stack.adopt(createSql({ ...database, max: 4 }), closeSql);
  const [baseUrl] = service.baseUrls;
  const operator = operatorClient({ baseUrl, token: service.operatorToken, clock: systemClock });
  const owned = stack.move();
  let additions = 0;
  return {
    ...{ dataDir, neighbours, service, operator, sql },
    async addCoordinators(count) {
      additions += 1;
      // Logs and pid files of the first ones bear the same names.
      const folder = join(dataDir, `more-${additions}`);
      const more = { ...plan, dataDir: folder, edges: 1, coordinators: count };
      await mkdir(join(folder, 'logs'), { recursive: true });
      return owned.use(await startService({ ...more, signal: AbortSignal.timeout(startMs) }));
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Beside others, on a machine three times as slow as usual. */
const startMs = 180_000;

const suiteAnswer = z.object({ suite_id: z.number().int() });

export interface SuiteSize {
  readonly taskCount: number;
  /** All unless told; the rest are held out for races. */
  readonly qualifyingCount?: number;
  readonly requiredSuccesses: number;
}

export interface OpenSuite {
  readonly packSha256: string;
  readonly tasks: readonly Task[];
}

/** Uploads a pack of so many tasks and makes its suite the active one. */
export async function openSuite(
  world: Pick<ServiceWorld, 'dataDir' | 'operator'>,
  size: SuiteSize,
): Promise<OpenSuite> {
  const tasks = Array.from({ length: size.taskCount }, (_, index) => ({
    task_id: `task-${index}`,
    family: families[index % families.length] ?? '',
    goal_text: `Put product ${index} into the cart.`,
  }));
  const path = join(world.dataDir, 'pack.tar.gz');
  const { sha256 } = await writePack(path, { manifest: packManifest, tasks });
  await world.operator.uploadPack(path);
  const suite = {
    benchmark_name: 'Trial',
    benchmark_number: 1,
    execution_kind: 'envpack',
    env_pack_sha256: sha256,
    qualifying_task_ids: tasks.slice(0, size.qualifyingCount).map((task) => task.task_id),
    required_successes_qualifying: size.requiredSuccesses,
  };
  const kept = suiteAnswer.parse(await world.operator.send('POST', '/v1/admin/suites', suite));
  await world.operator.send('POST', `/v1/admin/suites/${kept.suite_id}/activate`);
  return { packSha256: sha256, tasks: tasks.map(({ task_id, family }) => ({ task_id, family })) };
}

export interface Task {
  readonly task_id: string;
  readonly family: string;
}

const families = ['find-product', 'best-rated', 'voucher'];

export const packManifest = {
  contract_version: '1',
  runtime_version: '1',
  tool_contract_version: '1',
  verifier_version: '1',
  result_schema_version: '1',
  catalog_epoch: 'trial-1',
  catalog_sha256: '0'.repeat(64),
  search_index_epoch: null,
  search_index_sha256: null,
  display_name: 'Trial',
  environment_revision: '1',
};

/** Registers so many new keys of a role on the chain. */
export async function registerKeys(
  { operator }: Pick<ServiceWorld, 'operator'>,
  role: 'miner' | 'validator',
  { count, seed = 1 }: { readonly count: number; readonly seed?: number },
): Promise<readonly Keypair[]> {
  const keypairs = Array.from({ length: count }, (_, index) =>
    participantKeypair(seed, role, index),
  );
  await inParallel(16, keypairs, async ({ publicKey }) => {
    const path = `/v1/admin/chain/registrations/${encodeHotkey(publicKey)}`;
    await operator.send('PUT', path, { role, stake: 1000 });
  });
  return keypairs;
}

/** Speaks to all edges in turn. */
export function clientOf(
  { service: { baseUrls } }: Pick<ServiceWorld, 'service'>,
  keypair: Keypair,
  scheme: 'signed-headers' | 'session' = 'session',
): SignedClient {
  return signedClient({ baseUrls, keypair, scheme, clock: systemClock });
}
