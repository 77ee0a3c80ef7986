import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { submitAgent } from '../../apps/world/participants/simulated-miner.ts';
import { worldSecrets } from '../../apps/world/secrets.ts';
import { freePort } from '../../infra/local/free-port.ts';
import { type LocalPostgres, startPostgres } from '../../infra/local/postgres.ts';
import { createS3MarkCopy } from '../../infra/object-store/s3-mark-copy.ts';
import { createHistoryStore } from '../../infra/postgres/history-store.ts';
import { clientOf, openSuite, registerKeys, startServiceWorld } from '../support/service-world.ts';
import { systemEnv } from '../support/system-env.ts';
import { temporaryFolder } from '../support/temporary-servers.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const command = fileURLToPath(new URL('../../apps/history/main.ts', import.meta.url));

interface Claim {
  readonly eval_run_id: string;
}

/**
 * A restored backup of a running service, with real processes: they only answer reads, also those that
 * start afterwards, until the loss is accepted; and no fence comes twice.
 */
async function prove(stack: AsyncDisposableStack): Promise<void> {
  const folder = await temporaryFolder();
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));
  const dataDir = join(folder, 'postgres');
  const port = await freePort();
  let postgres: LocalPostgres = await startPostgres({ dataDir, port });
  stack.defer(() => postgres.stop());
  /** Stops the server, and starts it again on whatever lies there then. */
  const whileStopped = async (change: () => Promise<void>) => {
    await postgres.stop();
    await change();
    postgres = await startPostgres({ dataDir, port });
  };
  const world = await startServiceWorld({
    edges: 1,
    coordinators: 1,
    env: { DATABASE_URL: postgres.url, LOG_LEVEL: 'error' },
  });
  stack.defer(() => world[Symbol.asyncDispose]());
  const { sql, service, neighbours } = world;
  const [baseUrl] = service.baseUrls;
  const health = async () => {
    const answer = await fetch(`${baseUrl}/health/deep`);
    return { status: answer.status, body: (await answer.json()) as Health };
  };
  // Processes start anew meanwhile.
  const isHealthy = async () => {
    const answer = await health().catch(() => undefined);
    return answer?.status === 200;
  };
  const secrets = await worldSecrets(world.dataDir);
  const copy = createS3MarkCopy({
    endpoint: neighbours.s3Endpoint,
    bucket: 'paddock',
    accessKeyId: secrets.s3AccessKeyId,
    secretAccessKey: secrets.s3SecretAccessKey,
  });
  const history = createHistoryStore(sql);
  const fences = async () => {
    const rows = await sql<{ fence: string }[]>`select fence from evaluation_run order by fence`;
    return rows.map(({ fence }) => Number(fence));
  };

  await openSuite(world, { taskCount: 2, requiredSuccesses: 3 });
  const [minerKey] = await registerKeys(world, 'miner', { count: 1 });
  const [first, second, third] = (await registerKeys(world, 'validator', { count: 3 })).map((key) =>
    clientOf(world, key),
  );
  if (!minerKey || !first || !second || !third) throw new Error('there are no keys');
  const miner = { who: 'miner', client: clientOf(world, minerKey), onEvent: () => undefined };
  await submitAgent(miner, { agentName: 'shopper', code: 'def act(task):\n    return task\n' });
  const claim = async (validator: typeof first) => {
    const { status, body } = await validator.request('POST', '/v1/validator/work/claim');
    assert.equal(status, 200, JSON.stringify(body));
    return (body as Claim).eval_run_id;
  };

  // The second session is opened now, since later there is nobody to open one.
  await second.request('GET', '/v1/validator/weight-salt');
  await claim(first);
  const backup = join(folder, 'backup');
  await whileStopped(() => cp(dataDir, backup, { recursive: true }));
  await until(isHealthy, 30_000);
  const lostRun = await claim(second);
  assert.deepEqual(await fences(), [1, 2]);
  const reached = (await history.read([]))?.newest;
  if (reached === undefined) throw new Error('no mark was set');
  await until(async () => ((await copy.read(reached.genesis))?.seq ?? 0) > reached.seq, 20_000);

  await whileStopped(async () => {
    await rm(dataDir, { recursive: true });
    await cp(backup, dataDir, { recursive: true });
  });
  const restoredMs = performance.now();
  const beat = async () => {
    const path = `/v1/validator/evaluation-runs/${lostRun}/heartbeat`;
    const answer = await fetch(`${baseUrl}${path}`, { method: 'POST' });
    return { answer, body: (await answer.json()) as { error_code?: string } };
  };
  await until(async () => (await beat()).body.error_code === 'READ_ONLY', 30_000);
  console.log(
    `read-only ${Math.round(performance.now() - restoredMs)} ms after the server was back`,
  );
  const { answer } = await beat();
  assert.equal(answer.status, 503);
  assert.equal(answer.headers.get('x-admission'), 'rejected');
  assert.ok(Number(answer.headers.get('retry-after')) >= 1);
  assert.equal(
    (await fetch(`${baseUrl}/v1/public/leaderboard`)).status,
    200,
    'the public reads on',
  );
  const red = await health();
  assert.equal(red.status, 503);
  assert.equal(red.body.probes['history']?.status, 'failed');

  // Who was not there when it happened knows it by the copy.
  const [edge] = service.edges;
  const [coordinator] = service.coordinators;
  for (const { pid } of [edge, coordinator].flatMap((kept) => kept ?? []))
    process.kill(pid, 'SIGKILL');
  await until(async () => {
    const { body } = await beat().catch(() => ({ body: {} as { error_code?: string } }));
    return body.error_code === 'READ_ONLY';
  }, 30_000);
  await sleep(1_500);
  assert.equal((await sql`select from rt.member where lease_until > rt.wall_clock()`).length, 0);
  assert.deepEqual(await fences(), [1], 'nobody has written');

  const env = {
    ...systemEnv(),
    DATABASE_URL: postgres.url,
    S3_ENDPOINT: neighbours.s3Endpoint,
    S3_BUCKET: 'paddock',
    S3_ACCESS_KEY_ID: secrets.s3AccessKeyId,
    S3_SECRET_ACCESS_KEY: secrets.s3SecretAccessKey,
  };
  const by = ['--operator', 'alice', '--reason', 'the disk burnt'];
  const { stdout } = await run(process.execPath, [command, 'accept', ...by], { env });
  assert.match(stdout, /The database is behind/);
  assert.match(stdout, /branch 1/);
  await until(isHealthy, 30_000);
  await assert.rejects(run(process.execPath, [command, 'accept', ...by], { env }));

  await claim(third);
  const [, fence = 0] = await fences();
  assert.ok(fence >= 2 ** 32, String(fence));
  const [least] = await sql<{ epoch: string }[]>`select min(epoch) as epoch from rt.partition`;
  assert.ok(Number(least?.epoch) >= 2 ** 32);
  const late = await second.request('POST', `/v1/validator/evaluation-runs/${lostRun}/heartbeat`);
  assert.equal(late.status, 404, 'a run of the lost branch never was');
  const [entry] = await sql<{ actor: string; reason: string; object: string }[]>`
    select actor, reason, object from audit_log where action = 'accept-history'`;
  assert.deepEqual(entry, {
    actor: 'operator:alice',
    reason: 'the disk burnt',
    object: reached.genesis,
  });

  // Where the bucket went back as well, nobody but whoever restored knows.
  await run(process.execPath, [command, 'accept', '--restored', ...by], { env });
  const [again] = await sql<{ epoch: string; floor: string }[]>`
    select min(epoch) as epoch, rt.fence_floor() as floor from rt.partition`;
  assert.ok(Number(again?.epoch) >= 2 ** 33 && Number(again?.floor) === 2 ** 33);
  await until(isHealthy, 30_000);
}

interface Health {
  readonly probes: Readonly<Record<string, { readonly status: string } | undefined>>;
}

try {
  await using stack = new AsyncDisposableStack();
  await prove(stack);
  console.log('proved');
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
