import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { closeSql, createSql } from '../../infra/postgres/client.ts';
import { loginUrl } from '../../infra/postgres/logins.ts';
import { startProxy } from '../chaos/net/proxy.ts';
import { testDatabase } from '../support/cluster.ts';
import { startTestService, type TestServiceOptions } from '../support/edge.ts';
import type { TestKey } from '../support/edge-client.ts';
import { claim, runPath, submit } from '../support/evaluation-client.ts';
import { mortalDatabase } from '../support/mortal-database.ts';
import { temporaryNats } from '../support/temporary-servers.ts';
import { openTrialSuite } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';

/** By default longer than a lease, and than the lease of a coordinator. */
const usual = { leaseSeconds: 4, outageMs: 6_000 };

// A silence that was ours costs nobody a run (INV-06), and one that was not does, soon after (INV-07).
async function outage(
  t: ExecutionContext,
  { env, ...options }: TestServiceOptions,
  breakFor: (ms: number) => Promise<void>,
  { leaseSeconds, outageMs } = usual,
): Promise<void> {
  const service = await startTestService({
    ...options,
    env: {
      ...{ LEASE_SECONDS: String(leaseSeconds), HEARTBEAT_SECONDS: '2' },
      ...{ CLAIM_LEASE_SECONDS: String(leaseSeconds), ...env },
    },
  });
  t.teardown(() => service.stop());
  await openTrialSuite(service);
  await submit(await service.miner('miner'));
  const validator = await service.validator('validator');
  const run = await claim(validator);
  const path = runPath(run.eval_run_id, 'heartbeat');
  t.is((await validator.post(path)).status, 200);

  await breakFor(outageMs);
  const codes = new Set<string>();
  await until(async () => {
    const { status, code } = await beat(validator, path);
    codes.add(code);
    return status === 200;
  });
  t.false(codes.has('LEASE_EXPIRED'), [...codes].join());
  // All it was given was time: now the silence is the validator's own.
  await until(async () => (await statusOf(service.baseUrl, run.eval_run_id)) === 'STALE');
}

async function beat(validator: TestKey, path: string): Promise<{ status: number; code: string }> {
  const answer = await validator.post(path).catch(() => undefined);
  if (answer === undefined) return { status: 0, code: '' };
  const body = (await answer.json()) as { error_code?: string };
  return { status: answer.status, code: body.error_code ?? '' };
}

async function statusOf(baseUrl: string, evalRunId: string): Promise<string> {
  const answer = await fetch(`${baseUrl}/v1/public/evaluation-runs/${evalRunId}`);
  return ((await answer.json()) as { status?: string }).status ?? '';
}

test('a database that was away for longer than a lease costs nobody a run', async (t) => {
  const database = await mortalDatabase(t);
  await outage(t, { env: { DATABASE_URL: database.url } }, async (ms) => {
    await database.stop();
    await sleep(ms);
    await database.start();
  });
});

test('a broker that was away for longer than a lease costs nobody a run', async (t) => {
  let server = await temporaryNats();
  t.teardown(() => server.stop());
  await outage(t, { env: { NATS_URL: server.url } }, async (ms) => {
    const { port } = server;
    await server.stop();
    await sleep(ms);
    // With nothing of what it had.
    server = await temporaryNats({ port });
  });
});

test('a database that only edges cannot reach for longer than a lease costs nobody a run', async (t) => {
  const { url } = await testDatabase(t);
  const proxy = await startProxy(() => Number(new URL(url).port));
  t.teardown(() => proxy.stop());
  const proxied = new URL(loginUrl(url, 'edge'));
  proxied.port = String(proxy.port);
  const through = { DATABASE_URL: proxied.href };
  await outage(
    t,
    { env: { DATABASE_URL: loginUrl(url, 'coordinator') }, edgeEnv: through },
    async (ms) => {
      proxy.refuse();
      proxy.cut();
      await sleep(ms);
      proxy.clear();
    },
    // The edge knows after three seconds, and hosts three later.
    { leaseSeconds: 9, outageMs: 12_000 },
  );
});

// A run that its validator works on has as long as any other, by the time in which there was a service.
test('the time without a database counts for the limit of no run', async (t) => {
  const [runLimitSeconds, outageMs] = [40, 15_000];
  const database = await mortalDatabase(t);
  const sql = createSql({ url: database.url, applicationName: 'test', max: 1 });
  t.teardown(() => closeSql(sql));
  const lease = { LEASE_SECONDS: '10', CLAIM_LEASE_SECONDS: '10', HEARTBEAT_SECONDS: '2' };
  const service = await startTestService({
    coordinators: 2,
    database: { url: database.url, sql },
    env: { ...lease, RUN_LIMIT_SECONDS: String(runLimitSeconds) },
  });
  t.teardown(() => service.stop());
  await openTrialSuite(service);
  await submit(await service.miner('miner'));
  const validator = await service.validator('validator');
  const run = await claim(validator);
  const path = runPath(run.eval_run_id, 'heartbeat');
  t.is((await validator.post(path)).status, 200);
  // What is longer than a lease of a coordinator ends them all: each joins anew, and takes what it finds.
  await database.stop();
  await sleep(outageMs);
  await database.start();

  await until(async () => (await beat(validator, path)).code === 'LEASE_EXPIRED', 120_000);
  // It is refused from its end on, and marked by the next round of its owner.
  await until(async () => (await statusOf(service.baseUrl, run.eval_run_id)) === 'STALE');
  const [end] = await sql<{ reason: string; tookMs: number }[]>`
    select end_reason as reason,
      (extract(epoch from completed_at - claimed_at) * 1000)::float8 as "tookMs"
    from evaluation_run where eval_run_id = ${run.eval_run_id}`;
  t.is(end?.reason, 'RUN_LIMIT');
  const owedMs = runLimitSeconds * 1000 + outageMs;
  t.true((end?.tookMs ?? 0) >= owedMs, `${end?.tookMs} of ${owedMs}`);
});
