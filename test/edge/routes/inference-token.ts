import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { runDetail } from '../../spec/answers/runs.ts';
import { claim as claimShape } from '../../spec/answers/validator.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import type { TestKey } from '../../support/edge-client.ts';
import { claimPath, complete, runPath, submit } from '../../support/evaluation-client.ts';
import { okBody, openTrialSuite } from '../../support/trial-suite.ts';
import { until } from '../../support/until.ts';
import { refused, shaped, unkept } from './answers.ts';

let service: TestService;
test.serial.before(async () => {
  service = await startTestService({
    edges: 2,
    coordinators: 2,
    env: {
      COOLDOWN_SECONDS: '0',
      // The test stands for the proxy that ends TLS.
      TRUSTED_PROXIES: '127.0.0.1',
    },
  });
});
test.after.always(() => service?.stop());
test.afterEach.always(() => {
  service.providers.providera.heal();
  service.providers.providerb.heal();
});

const base = '/v1/miner/inference-auth';
const model = 'maple/maple-8b-instruct';

/** A miner with work, connected to `providers`, of which the first is the default. */
async function minerWith(...providers: string[]) {
  await openTrialSuite(service);
  const miner = await service.miner(randomUUID());
  for (const provider of providers) {
    await okBody(await miner.post(`${base}/${provider}`, { credential: `demo-${randomUUID()}` }));
  }
  await submit(miner);
  return miner;
}

const validator = () => service.validator(randomUUID());
const claimed = async (t: ExecutionContext, by: TestKey, headers: Record<string, string> = {}) =>
  await shaped(t, claimShape, unkept(t, await by.request('POST', claimPath, { headers })));

/** An agent's question, as a client of such providers asks it. */
const ask = (token: { access_token: string; base_url: string }) =>
  fetch(`${token.base_url}/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token.access_token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] }),
  });

const openKeys = async ({ eval_run_id: id }: { readonly eval_run_id: string }) =>
  (
    await service.sql`
    select from inference_key where eval_run_id = ${id} and revoked_at is null`
  ).length;

test.serial('a claim hands out a token that works until its run ends', async (t) => {
  await minerWith('providera');
  const by = await validator();
  const run = await claimed(t, by);
  const token = run.inference_token;
  if (token === null) throw new Error('no token');
  t.is(token.provider, 'providera');
  t.regex(token.access_token, /^inf_[0-9a-f]{64}$/);
  t.is(token.base_url, `${service.baseUrl}/v1/inference/providera`);
  t.is(run.providera_access_token, token.access_token);
  const lifetimeMs = Date.parse(token.expires_at) - Date.now();
  t.true(lifetimeMs > 7_200_000 && lifetimeMs < 10_800_000, `${lifetimeMs}`);
  t.is(await openKeys(run), 1, 'made within the claim');
  await okBody(await ask(token));

  const again = await claimed(t, by);
  t.deepEqual(again.inference_token, token, 'a lost answer is answered alike');
  const shown = await service.call('GET', `/v1/public/evaluation-runs/${run.eval_run_id}`);
  t.false((await shown.text()).includes(token.access_token));

  await okBody(await by.post(runPath(run.eval_run_id, 'release')));
  await refused(t, await ask(token), '401 INVALID_SESSION');
  await until(async () => (await openKeys(run)) === 0);
  t.is(service.providers.providera.counts.keysRevoked >= 1, true);
});

test.serial(
  'no row and no stream of the service holds a token or a key in the clear',
  async (t) => {
    await minerWith('providerb');
    const run = await claimed(t, await validator());
    const token = run.inference_token;
    if (token === null) throw new Error('no token');
    t.is(token.provider, 'providerb');
    t.is(run.providera_access_token, null, 'the older field is providera’s alone');
    await okBody(await ask(token));
    const tables = await service.sql<{ name: string }[]>`
    select quote_ident(schemaname) || '.' || quote_ident(tablename) as name
    from pg_tables where schemaname in ('public', 'rt')`;
    t.true(tables.some(({ name }) => name === 'public.inference_key'));
    for (const { name } of tables) {
      // Only where a word begins: sealed keys are written in the same letters, and meet any two by chance.
      const found = await service.sql.unsafe(
        `select 1 from ${name} as r
       where r::text like '%${token.access_token}%' or r::text ~ '(^|[^A-Za-z0-9_-])(at|sk)-[A-Za-z0-9_-]{16}'
       limit 1`,
      );
      t.is(found.length, 0, name);
    }
  },
);

test.serial('a miner without a usable credential gives no token', async (t) => {
  const miner = await minerWith();
  const by = await validator();
  const bare = await claimed(t, by);
  t.deepEqual([bare.inference_token, bare.providera_access_token], [null, null]);
  const credential = `demo-${randomUUID()}`;
  await okBody(await miner.post(`${base}/providera`, { credential }));
  const later = await claimed(t, by);
  t.is(later.eval_run_id, bare.eval_run_id);
  t.is(later.inference_token?.provider, 'providera', 'connected before the run was touched');

  service.providers.providera.reject(credential);
  const other = await claimed(t, await validator());
  t.is(other.inference_token, null);
  const status = await okBody<{ connected: boolean; updated_at: string }>(
    await miner.get(`${base}/providera`),
  );
  t.false(status.connected, 'the miner sees why');
  t.truthy(status.updated_at);
});

test.serial('a provider that hangs or fails costs a claim no more than it may wait', async (t) => {
  const { providera } = service.providers;
  for (const fault of [{ kind: 'hang' }, { kind: 'status', status: 500 }] as const) {
    await minerWith('providera');
    providera.fail(fault);
    const startedMs = performance.now();
    const run = await claimed(t, await validator());
    // Three seconds for the key, and what a busy machine takes for all else.
    t.true(performance.now() - startedMs < 9_000);
    const token = run.inference_token;
    if (token === null) throw new Error('no token');
    providera.heal();
    await okBody(await ask(token));
  }
});

test.serial(
  'an agent is blamed for a missing credential only where there was no token',
  async (t) => {
    const body = { terminal_status: 'FAILED', failure_reason: 'missing inference credential' };
    const blamed = async (...providers: string[]) => {
      await minerWith(...providers);
      const by = await validator();
      const { eval_run_id: id } = await claimed(t, by);
      const first = await okBody(await complete(by, id, body));
      t.deepEqual(await okBody(await complete(by, id, body)), first, 'an equal repeat');
      const shown = await service.call('GET', `/v1/public/evaluation-runs/${id}`);
      return (await shaped(t, runDetail, shown)).failure_class;
    };
    t.is(await blamed(), 'AGENT');
    t.is(await blamed('providera'), 'UNATTRIBUTED');
  },
);

test.serial('a cancelled run’s token is worth nothing, and nor is its key', async (t) => {
  await minerWith('providerb');
  const run = await claimed(t, await validator());
  const token = run.inference_token;
  if (token === null) throw new Error('no token');
  await okBody(await ask(token));
  const discard = `/v1/admin/agent-versions/${run.agent_version_id}/discard`;
  await okBody(await service.operator('POST', discard, { body: { reason: 'a test of tokens' } }));
  await until(async () => (await ask(token)).status === 401);
  await until(async () => (await openKeys(run)) === 0);
});

test.serial('an Idempotency-Key gives the same run and the same token again', async (t) => {
  await minerWith('providera');
  const by = await validator();
  const headers = { 'idempotency-key': randomUUID() };
  const first = await claimed(t, by, headers);
  await okBody(await by.post(runPath(first.eval_run_id, 'heartbeat')));
  const again = await claimed(t, by, headers);
  t.is(again.eval_run_id, first.eval_run_id);
  t.deepEqual(again.inference_token, first.inference_token);
  t.truthy(again.inference_token);
});

test.serial(
  'the base URL names the edge as the claim reached it, never by localhost',
  async (t) => {
    await minerWith('providera');
    const by = await validator();
    const { port } = new URL(service.baseUrl);
    // A browser's fetch sets Host by itself.
    const baseUrlAt = async (more: Readonly<Record<string, string>>) => {
      const headers = { ...by.headers(), ...more };
      const body = await new Promise<string>((resolve, reject) => {
        request({ host: '127.0.0.1', port, path: claimPath, method: 'POST', headers }, (answer) => {
          answer.setEncoding('utf8');
          let text = '';
          answer.on('data', (chunk: string) => {
            text += chunk;
          });
          answer.on('end', () => resolve(text));
        })
          .on('error', reject)
          .end();
      });
      return claimShape.parse(JSON.parse(body)).inference_token?.base_url;
    };
    const path = '/v1/inference/providera';
    t.is(await baseUrlAt({ host: 'edge.example' }), `http://edge.example${path}`);
    t.is(await baseUrlAt({ host: `localhost:${port}` }), `http://127.0.0.1:${port}${path}`);
    t.is(await baseUrlAt({ host: 'localhost.example' }), `http://localhost.example${path}`);
    const behind = { host: 'edge.example', 'x-forwarded-proto': 'https' };
    t.is(await baseUrlAt(behind), `https://edge.example${path}`, 'from a trusted proxy');
    const { host } = new URL(service.baseUrl);
    t.is(await baseUrlAt({ host: 'x/@evil.example' }), `http://${host}${path}`);
  },
);
