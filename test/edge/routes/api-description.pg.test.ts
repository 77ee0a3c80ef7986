import { randomUUID } from 'node:crypto';
import test from 'ava';
import { probeNames } from '../../../apps/edge/readiness.ts';
import { pending, running, validators } from '../../spec/answers/queue.ts';
import { suiteProblems, suite as suiteShape } from '../../spec/answers/suites.ts';
import { leaderboard } from '../../spec/answers/versions.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import { submissionForm } from '../../support/evaluation-client.ts';
import { okBody, openLegacySuite } from '../../support/trial-suite.ts';
import { invalid, refused, shaped } from './answers.ts';

let service: TestService;
test.before(async () => {
  service = await startTestService();
});
test.after.always(() => service?.stop());

const get = (path: string) => service.call('GET', path);

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: Readonly<Record<string, unknown>>;
  }[];
  readonly requestBody?: { readonly content: Record<string, { schema: object }> };
  readonly responses: Record<string, object>;
  readonly security: readonly object[];
}

interface Description {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: Record<string, Record<string, unknown>>;
}

const description = async () => await okBody<Description>(await get('/openapi.json'));

async function operations() {
  const { paths } = await description();
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

/** What the specification and the contract ask of the qualifying evaluation and of races. */
const promised = `
  get /health · get /health/deep · get /openapi.json · get /docs
  post /v1/auth/challenge · post /v1/auth/session · post /v1/auth/logout
  get /v1/public/suites · get /v1/public/suites/current
  get /v1/public/suites/{suite_id}/problems · get /v1/public/leaderboard
  get /v1/public/agent-versions/{agent_version_id}/status
  get /v1/public/agent-versions/{agent_version_id}/runs
  get /v1/public/agent-versions/{agent_version_id}/problems
  get /v1/public/evaluation-runs/{eval_run_id} · get /v1/public/validators
  get /v1/public/evaluations/running · get /v1/public/evaluations/pending
  get /v1/public/agent-versions/{agent_version_id} · post /v1/public/artifacts/download-url
  get /v1/public/episode-results/{episode_result_id}/feedback
  get /v1/public/races/current · get /v1/public/races/history · get /v1/public/races/{race_id}
  get /v1/public/races/{race_id}/validator-variance
  get /v1/public/top · get /v1/public/top/history · get /v1/public/top-miner-payout
  put /v1/miner/race-selection · delete /v1/miner/race-selection
  post /v1/miner/submit · post /v1/miner/submit/check
  get /v1/miner/agents · get /v1/miner/agents/{agent_id}/versions
  get /v1/miner/inference-auth · patch /v1/miner/inference-auth/default
  get /v1/miner/inference-auth/{provider} · post /v1/miner/inference-auth/{provider}
  delete /v1/miner/inference-auth/{provider} · post /v1/miner/inference-auth/{provider}/rotate
  get /v1/miner/providera-auth/status · post /v1/miner/providera-auth
  get /v1/public/inference/models · post /v1/inference/{provider}/chat/completions
  post /v1/validator/work/claim
  post /v1/validator/evaluation-runs/{eval_run_id}/heartbeat
  get /v1/validator/evaluation-runs/{eval_run_id}/problems
  post /v1/validator/evaluation-runs/{eval_run_id}/progress
  post /v1/validator/evaluation-runs/{eval_run_id}/release
  post /v1/validator/evaluation-runs/{eval_run_id}/complete
  post /v1/validator/race/{race_id}/pack · get /v1/validator/weight-salt
  get /v1/validator/pack/{pack_sha256} · post /v1/validator/episode-artifacts/presign
  post /v1/validator/uploads/presign · post /v1/validator/episode-results
  post /v1/admin/packs · post /v1/admin/suites
  post /v1/admin/suites/{suite_id}/activate
  put /v1/admin/hotkeys/{hotkey}/ban · delete /v1/admin/hotkeys/{hotkey}/ban
  put /v1/admin/chain/registrations/{hotkey} · delete /v1/admin/chain/registrations/{hotkey}
  post /v1/admin/races/{race_id}/close-qualifying · post /v1/admin/races/{race_id}/start
  post /v1/admin/races/{race_id}/cancel
  post /v1/admin/agent-versions/{agent_version_id}/discard
  post /v1/admin/agent-versions/{agent_version_id}/reinstate
  get /v1/admin/agent-versions/{agent_version_id}/similarity · get /v1/admin/similarity
  post /v1/admin/evaluation-runs/{eval_run_id}/exclude
  post /v1/admin/evaluation-runs/{eval_run_id}/include
  post /v1/admin/evaluation-runs/{eval_run_id}/reclaim
  post /v1/admin/rejudgings · get /v1/admin/rejudgings
  get /v1/admin/rejudgings/{rejudging_id} · post /v1/admin/rejudgings/{rejudging_id}/apply
  post /v1/admin/rejudgings/{rejudging_id}/cancel
  get /v1/admin/policy · patch /v1/admin/policy · get /v1/admin/overview
  get /v1/admin/audit-log · get /v1/admin/stuck · get /v1/admin/parked-messages
  post /v1/admin/parked-messages/{msg_id}/resend
  post /v1/admin/parked-messages/{msg_id}/drop
  get /v1/admin/traces · get /v1/admin/traces/{trace_id}
  post /v1/admin/actors/{id}/drain · get /v1/admin/partitions · post /v1/admin/clock/advance
  get /v1/public/events · get /v1/admin/webhooks · post /v1/admin/webhooks
  get /v1/admin/webhooks/{webhook_id} · delete /v1/admin/webhooks/{webhook_id}
  post /v1/admin/webhooks/{webhook_id}/replay · get /v1/admin/credential-keys
`
  .split(/[\n·]/)
  .map((line) => line.trim())
  .filter((line) => line !== '');

test('the description is whole OpenAPI 3.1', async (t) => {
  const document = await description();
  t.regex(document.openapi, /^3\.1\.\d$/);
  t.regex(document.info.version, /^\d+\.\d+\.\d+/);
  const all = await operations();
  t.is(new Set(all.map(({ operation }) => operation.operationId)).size, all.length);
  for (const { path, operation } of all) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const declared = (operation.parameters ?? []).filter((each) => each.in === 'path');
    t.deepEqual(declared.map(({ name }) => name) as unknown, inPath, path);
    t.true('200' in operation.responses, path);
    for (const scheme of operation.security.flatMap(Object.keys)) {
      t.true(scheme in (document.components['securitySchemes'] ?? {}), scheme);
    }
  }
  for (const [, ref = ''] of JSON.stringify(document).matchAll(
    /"\$ref":"#\/components\/schemas\/([^"]+)"/g,
  )) {
    t.true(ref in (document.components['schemas'] ?? {}), ref);
  }
});

test('every route that was promised is described', async (t) => {
  const described = new Set((await operations()).map(({ method, path }) => `${method} ${path}`));
  for (const route of promised) t.true(described.has(route), route);
});

test('every described route can be reached, and no other method on it', async (t) => {
  const { paths } = await description();
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
  for (const [path, described] of Object.entries(paths)) {
    const address = path.replaceAll(/\{\w+\}/g, '7');
    for (const method of methods) {
      const answer = await service.call(method, address);
      // A stream has no end to wait for.
      const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
      const text = isStream ? '' : await answer.text();
      await (isStream && answer.body?.cancel());
      const isDescribed = method.toLowerCase() in described;
      t.is(answer.status === 405, !isDescribed, `${method} ${path}: ${text}`);
      const isLost = answer.status === 404 && text.includes('"error_code":"ROUTE_NOT_FOUND"');
      t.false(isLost, path);
      if (!isDescribed) t.false(answer.headers.get('allow')?.split(', ').includes(method));
    }
  }
});

test('what is not described is not there', async (t) => {
  const absent = [
    '/v1',
    '/v2/health',
    '/health/',
    '/HEALTH',
    '/v1/public/suites/',
    '/v1/admin',
    '/v1/validator/pack',
    '/metrics',
    '/v1/public/leaderboard/x',
  ];
  for (const path of absent) await refused(t, await get(path), '404 ROUTE_NOT_FOUND');
});

test('a route that needs credentials says so, and says which answers it gives without', async (t) => {
  for (const { path, method, operation } of await operations()) {
    const isOpen =
      !/^\/v1\/(miner|validator|admin|inference)\//.test(path) && path !== '/v1/auth/logout';
    t.is(operation.security.length === 0, isOpen, path);
    if (isOpen) continue;
    t.true('401' in operation.responses, path);
    const address = path.replaceAll(/\{\w+\}/g, '7');
    await refused(t, await service.call(method.toUpperCase(), address), '401 MISSING_CREDENTIALS');
  }
});

test('what a query is taken for without a parameter is described', async (t) => {
  const { paths } = await description();
  const schemas = (path: string) => {
    const parameters = paths[path]?.['get']?.parameters ?? [];
    return Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
  };
  const history = schemas('/v1/public/races/history');
  t.like(history['limit'], { type: 'integer', minimum: 1, maximum: 100, default: 20 });
  t.like(history['offset'], { type: 'integer', minimum: 0, default: 0 });
  const board = schemas('/v1/public/leaderboard');
  t.like(board['limit'], { maximum: 500, default: 100 });
  t.like(board['score_type'], { default: 'qualifying', enum: ['qualifying', 'race'] });
  t.like(board['q'], { type: 'string', maxLength: 64 });
  t.like(schemas('/v1/public/suites/{suite_id}/problems')['include_embeddings'], {
    type: 'boolean',
    default: false,
  });
});

test('a parameter that comes twice is refused everywhere, as described', async (t) => {
  for (const { path, method, operation } of await operations()) {
    t.true('422' in operation.responses, path);
    const isOpenRead = method === 'get' && operation.security.length === 0;
    if (!isOpenRead || path.includes('{')) continue;
    t.is(await invalid(t, await get(`${path}?any=1&any=1`)), 'query.any');
  }
});

test('an Idempotency-Key is described where it counts, and checked there', async (t) => {
  const repeatable = ['/v1/miner/submit', '/v1/validator/work/claim'];
  const headers = { 'idempotency-key': 'two words' };
  for (const { path, method, operation } of await operations()) {
    const isOrder = path.startsWith('/v1/admin/') && method !== 'get';
    const isCounted = isOrder || repeatable.includes(path) || path.endsWith('/complete');
    const named = operation.parameters?.filter((each) => each.name === 'Idempotency-Key') ?? [];
    t.deepEqual(
      named.map(({ name }) => name),
      isCounted ? ['Idempotency-Key'] : [],
      `${method} ${path}`,
    );
  }
  const order = await service.operator('POST', '/v1/admin/clock/advance', {
    body: { seconds: 1 },
    headers,
  });
  t.is(await invalid(t, order), 'header.idempotency-key');
  t.is((await service.operator('GET', '/v1/admin/clock', { headers })).status, 200);
});

test('the submission’s two parts are described', async (t) => {
  const { paths } = await description();
  for (const path of ['/v1/miner/submit', '/v1/miner/submit/check']) {
    const content = paths[path]?.['post']?.requestBody?.content['multipart/form-data'];
    t.like(content?.schema, { type: 'object', required: ['agent_name', 'file'] });
  }
});

test('the page shows the description and loads nothing from elsewhere', async (t) => {
  const answer = await get('/docs');
  t.is(answer.status, 200);
  t.is(answer.headers.get('content-type'), 'text/html; charset=utf-8');
  t.regex(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  const page = await answer.text();
  t.true(page.includes('/openapi.json'));
  t.false(/(src|href)="(https?:)?\/\//.test(page));
});

test('health is answered without a look at anything, deep health with one at everything', async (t) => {
  const health = await okBody<{ status: string; version: string }>(await get('/health'));
  t.is(health.status, 'ok');
  t.is(health.version, (await description()).info.version);
  const answer = await get('/health/deep');
  const deep = await okBody<{ status: string; probes: Record<string, Record<string, unknown>> }>(
    answer,
  );
  t.is(deep.status, 'ok');
  t.deepEqual(Object.keys(deep.probes).sort(), [...probeNames].sort());
  for (const probe of Object.values(deep.probes)) {
    t.is(probe['status'], 'ok');
    t.is(typeof probe['duration_ms'], 'number');
  }
});

test('a request’s id is its trace’s, and every answer has one', async (t) => {
  const traceId = 'ab'.repeat(16);
  const headers = { traceparent: `00-${traceId}-${'cd'.repeat(8)}-01` };
  const known = await service.call('GET', '/health', { headers });
  t.is(known.headers.get('x-request-id'), traceId);
  const ids = new Set<string | null>();
  for (const path of [
    '/health',
    '/nowhere',
    '/v1/public/suites/current',
    '/v1/miner/agents',
    '/docs',
  ]) {
    const answer = await get(path);
    t.is(answer.headers.get('x-content-type-options'), 'nosniff', path);
    t.is(answer.headers.get('x-powered-by'), null);
    ids.add(answer.headers.get('x-request-id'));
  }
  t.is(ids.size, 5);
  t.false(ids.has(null));
});

test('a hotkey’s answers are kept by nobody', async (t) => {
  const miner = await service.miner('no-store');
  for (const answer of [
    await miner.get('/v1/miner/agents'),
    await miner.get('/v1/validator/pack/x'),
    await service.call('GET', '/v1/miner/agents', { headers: { authorization: 'Bearer x' } }),
    await miner.request('POST', '/v1/miner/submit', { body: submissionForm({}) }),
  ]) {
    t.is(answer.headers.get('cache-control'), 'no-store', `${answer.url} ${answer.status}`);
  }
});

test.serial('before the first suite every list is empty and nothing is current', async (t) => {
  t.deepEqual(await shaped(t, suiteShape.array(), await get('/v1/public/suites')), []);
  await refused(t, await get('/v1/public/suites/current'), '404 SUITE_NOT_FOUND');
  await refused(t, await get('/v1/public/suites/1/problems'), '404 SUITE_NOT_FOUND');
  const board = await shaped(t, leaderboard, await get('/v1/public/leaderboard'));
  t.deepEqual([board.total, board.suite, board.entries], [0, null, []]);
  t.deepEqual(await shaped(t, running, await get('/v1/public/evaluations/running')), []);
  const waiting = await shaped(t, pending, await get('/v1/public/evaluations/pending'));
  t.deepEqual([waiting.total, waiting.items], [0, []]);
  await shaped(t, validators, await get('/v1/public/validators'));
});

test.serial('embeddings come only where they are asked for', async (t) => {
  const metadata = { title: 'one', category: 'Product' };
  const embeddings = { 'A bag': [0.25, -0.5] };
  const problemId = randomUUID();
  const first = await openLegacySuite(service, {
    problems: [
      { problem_id: problemId, metadata: { ...metadata, reward_title_embeddings: embeddings } },
    ],
    race_problems: [{ metadata: { title: 'held out' } }],
  });
  const path = `/v1/public/suites/${first.suiteId}/problems`;

  const without = await shaped(t, suiteProblems, await get(path));
  const withThem = await shaped(t, suiteProblems, await get(`${path}?include_embeddings=true`));

  const problem = { problem_id: problemId, suite_id: first.suiteId, metadata };
  t.deepEqual(without.problems, [problem]);
  t.deepEqual(withThem.problems, [
    { ...problem, metadata: { ...metadata, reward_title_embeddings: embeddings } },
  ]);
  t.deepEqual(
    [without.suite.execution_kind, without.suite.env_pack_sha256],
    ['legacy_benchmark', null],
  );
  t.deepEqual(
    await shaped(t, suiteProblems, await get(`${path}?include_embeddings=false`)),
    without,
  );
  for (const value of ['', 'maybe', '2']) {
    t.is(
      await invalid(t, await get(`${path}?include_embeddings=${value}`)),
      'query.include_embeddings',
    );
  }
  const second = await openLegacySuite(service, { problems: [{ metadata }] });
  const listed = await shaped(t, suiteShape.array(), await get('/v1/public/suites'));
  t.deepEqual(
    listed.map((each) => [each.suite_id, each.is_active]) as unknown,
    [
      [second.suiteId, true],
      [first.suiteId, false],
    ],
    'newest first',
  );
});
