import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { loginUrl } from '../../infra/postgres/logins.ts';
import { startProxy } from '../chaos/net/proxy.ts';
import { testDatabase } from '../support/cluster.ts';
import { startTestService, type TestServiceOptions } from '../support/edge.ts';
import { claim, runPath, submit } from '../support/evaluation-client.ts';
import { mortalDatabase } from '../support/mortal-database.ts';
import { openTrialSuite } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';

/** Longer than a session is taken for what it was when the database was asked. */
const forgottenMs = 800;
/** A server takes its time to stop on a crowded machine, and an owner must be sure of itself meanwhile. */
const policy = { leaseMs: 60_000 };

/** A service, and a validator whose run has begun: later heartbeats are written nowhere. */
async function beating(t: ExecutionContext, options: TestServiceOptions) {
  const service = await startTestService({ ...options, policy });
  t.teardown(() => service.stop());
  await openTrialSuite(service, { requiredSuccesses: 2 });
  await submit(await service.miner('miner'));
  const validator = await service.validator('validator');
  const authorization = `Bearer ${await validator.openSession()}`;
  const run = await claim(validator);
  const beat = async (headers = { authorization }) => {
    const answer = await service.call('POST', runPath(run.eval_run_id, 'heartbeat'), { headers });
    const { error_code: code = '' } = (await answer.json()) as { error_code?: string };
    return { status: answer.status, code };
  };
  t.is((await beat()).status, 200);
  return { service, validator, authorization, beat };
}

test('a heartbeat by a session is answered while the database is away', async (t) => {
  const database = await mortalDatabase(t);
  const { service, validator, authorization, beat } = await beating(t, {
    env: { DATABASE_URL: database.url },
  });
  // Of one that this edge has never let in it knows nothing.
  const unused = `Bearer ${await validator.openSession()}`;

  await sleep(forgottenMs);
  await database.stop();

  t.deepEqual(await beat(), { status: 200, code: '' });
  t.deepEqual(await beat(), { status: 200, code: '' });
  t.deepEqual(await beat({ authorization: unused }), { status: 503, code: 'STORE_UNAVAILABLE' });
  const claiming = await service.call('POST', '/v1/validator/work/claim', {
    ...{ headers: { authorization }, body: {} },
  });
  t.is(claiming.status, 503);
  await claiming.text();
  await database.start();
});

// Its edge alone is cut off, so the ban reaches the database and the owner of the run.
test('an edge that is cut off from the database lets no banned validator beat', async (t) => {
  const database = await testDatabase();
  const proxy = await startProxy(() => Number(new URL(database.url).port));
  t.teardown(() => proxy.stop());
  const edgeUrl = new URL(loginUrl(database.url, 'edge'));
  edgeUrl.host = `127.0.0.1:${proxy.port}`;
  const { service, validator, beat } = await beating(t, {
    database,
    edgeEnv: { DATABASE_URL: edgeUrl.href },
  });

  await sleep(forgottenMs);
  proxy.refuse();
  proxy.cut();
  t.is((await beat()).status, 200);
  const banned = await service.operator('PUT', `/v1/admin/hotkeys/${validator.hotkey}/ban`, {
    body: { reason: 'test' },
  });
  t.is(banned.status, 200, await banned.text());

  await until(async () => (await beat()).status !== 200);
  const { status, code } = await beat();
  t.not(status, 200, code);
});
