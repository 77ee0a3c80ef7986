import { brotliDecompressSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { endpoints } from '../../../apps/edge/routes/index.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import { rawRequest } from '../../support/raw-request.ts';

let service: TestService;
test.before(async () => {
  service = await startTestService();
});
test.after.always(() => service?.stop());

const read = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  rawRequest(`${service.baseUrl}${path}`, headers, method);

async function createSuite(t: ExecutionContext, name: string) {
  const embeddings = { title: Array.from({ length: 512 }, (_, index) => index / 512) };
  const problems = Array.from({ length: 20 }, (_, index) => ({
    metadata: { query: `${name} ${index}`, reward_title_embeddings: embeddings },
  }));
  const body = {
    benchmark_name: name,
    benchmark_number: 1,
    execution_kind: 'legacy_benchmark',
    problems,
  };
  const created = await service.operator('POST', '/v1/admin/suites', { body });
  t.is(created.status, 200);
  return ((await created.json()) as { suite_id: number }).suite_id;
}

const activate = (suiteId: number) =>
  service.operator('POST', `/v1/admin/suites/${suiteId}/activate`);

test('each public read may be kept for a moment; what is not, is named here', (t) => {
  const notKept = endpoints.filter(
    ({ method, role, cache }) => method === 'get' && role === 'public' && cache === undefined,
  );
  t.deepEqual(notKept.map(({ path }) => path).sort(), [
    // Load balancers want to know how it is now.
    '/health',
    '/health/deep',
    // Streams.
    '/v1/public/events',
    // Holds an address that ends.
    '/v1/public/races/{race_id}/bundle',
  ]);
  const kept = endpoints.filter(({ cache }) => cache !== undefined);
  t.true(kept.every(({ method, role }) => method === 'get' && role === 'public'));
});

// Before the others: one of them activates a suite, and then there is a current one.
test.serial('HEAD and If-None-Match hold for each public page that is there', async (t) => {
  const paths = endpoints.flatMap(({ path, cache }) =>
    cache === undefined || path.includes('{') ? [] : [path],
  );
  t.true(paths.length >= 10);
  for (const path of paths) {
    const page = await read(path);
    if (page.status !== 200) continue;
    // Some say the time, and so are another page each time.
    const again = await read(path, { 'if-none-match': page.headers.etag ?? '' });
    t.true(again.status === 304 || again.headers.etag !== page.headers.etag, path);
    const head = await read(path, {}, 'HEAD');
    t.is(head.status, 200, path);
    t.is(head.body.length, 0, path);
    t.is(head.headers['cache-control'], page.headers['cache-control'], path);
  }
  for (const path of ['/health', '/v1/public/nothing', '/v1/public/suites/current']) {
    t.is((await read(path)).headers['cache-control'], 'no-store', path);
  }
});

test('a kept suite page says at once which suite is active', async (t) => {
  const [one, other] = [await createSuite(t, 'one'), await createSuite(t, 'other')];
  const page = async (suiteId: number, query = '') => {
    const { body } = await read(`/v1/public/suites/${suiteId}/problems${query}`);
    return JSON.parse(body.toString());
  };
  const activity = async () => [
    (await page(one)).suite.is_active,
    (await page(other)).suite.is_active,
    (await page(one, '?include_embeddings=true')).suite.is_active,
  ];
  t.deepEqual(await activity(), [false, false, false]);
  t.is((await activate(one)).status, 200);
  t.deepEqual(await activity(), [true, false, true]);
  t.is((await activate(other)).status, 200);
  t.deepEqual(await activity(), [false, true, false]);
});

test('embeddings are on the page that asks for them, compressed or not', async (t) => {
  const suiteId = await createSuite(t, 'embedded');
  const path = `/v1/public/suites/${suiteId}/problems`;
  const [bare, full, small] = [
    await read(path),
    await read(`${path}?include_embeddings=true`),
    await read(`${path}?include_embeddings=1`, { 'accept-encoding': 'br' }),
  ];
  t.false(bare.body.includes('reward_title_embeddings'));
  t.true(full.body.includes('reward_title_embeddings'));
  t.not(bare.headers.etag, full.headers.etag);
  t.is(small.headers['content-encoding'], 'br');
  t.is(small.headers.etag, full.headers.etag);
  t.deepEqual(brotliDecompressSync(small.body), full.body);
  const known = await read(`${path}?include_embeddings=true`, {
    'if-none-match': full.headers.etag ?? '',
  });
  t.is(known.status, 304);
  t.is((await read('/v1/public/suites/999/problems')).status, 404);
});
