import test from 'ava';
import fc from 'fast-check';
import { z } from 'zod';
import { endpoint } from '../../apps/edge/endpoint.ts';
import { PlainRoutes } from '../../apps/edge/plain-routes.ts';
import { liveRead } from '../../apps/edge/public-reads/send-representation.ts';
import { getHealth } from '../../apps/edge/routes/health/get-health.ts';
import { endpoints } from '../../apps/edge/routes/index.ts';
import { startFramework } from '../support/framework.ts';

const list = endpoint({
  ...{ method: 'get', path: '/list', role: 'public', owner: 'nobody' },
  ...{ summary: 'a list', trafficClass: 2, cache: liveRead, faults: [] },
  response: z.array(z.string()),
  handle: async () => ['a', 'b'],
});

const traced = { traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01` };

/** All that a client sees of an answer, but the second in which it was made. */
async function seen(answer: Response) {
  const headers: Record<string, string> = Object.fromEntries(answer.headers);
  headers['date'] = '';
  return { status: answer.status, headers, text: await answer.text() };
}

// Express is asked for every target with a question mark: nothing but the way differs.
for (const path of ['/health', '/list']) {
  for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
    test(`${method} ${path} is answered alike by its plain path and through Express`, async (t) => {
      await using edge = await startFramework([getHealth, list]);

      const plain = await seen(await edge.request(method, path, { headers: traced }));
      const routed = await seen(await edge.request(method, `${path}?`, { headers: traced }));

      t.deepEqual(plain, routed);
      t.is(plain.headers['x-request-id'], 'ab'.repeat(16));
      t.is(edge.inFlight(), 0);
    });
  }
}

test('both ways are measured as the same route', async (t) => {
  await using edge = await startFramework([getHealth]);
  for (const target of ['/health', '/health?']) await (await edge.get(target)).text();

  await edge.until(() => edge.measured.length === 2);
  t.deepEqual(edge.measured[0], edge.measured[1]);
});

test('a path in another spelling is another path, whichever way it goes', async (t) => {
  await using edge = await startFramework([getHealth, list]);
  for (const path of ['/Health', '/health/', '/list/', '//list', '/list%20']) {
    t.is((await edge.get(path)).status, 404, path);
  }
});

test('pages of other sites are let in to plain paths as to all others', async (t) => {
  const origin = 'https://board.example';
  await using edge = await startFramework([getHealth, list], { corsOrigins: [origin] });
  for (const path of ['/health', '/list']) {
    const { headers } = await edge.get(path, { origin });
    t.is(headers.get('access-control-allow-origin'), origin, path);
  }
});

test('an edge that is full says so also where it would have nothing to do', async (t) => {
  const admission = { class0: 0, class1: 0, class2: 0 };
  await using edge = await startFramework([getHealth, list], { admission });
  for (const path of ['/health', '/list']) t.is((await edge.get(path)).status, 503, path);
});

// Plain paths are looked for first, and Express takes the first that matches.
test('where a plain path is also one with a parameter, the plain one is meant', (t) => {
  const isPlain = ({ path }: { readonly path: string }) => !path.includes('{');
  let both = 0;
  for (const [at, plain] of endpoints.entries()) {
    if (!isPlain(plain)) continue;
    for (const [other, { method, path }] of endpoints.entries()) {
      const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
      if (other === at || method !== plain.method || !pattern.test(plain.path)) continue;
      both += 1;
      t.true(at < other, plain.path);
    }
  }
  t.true(both > 0);
});

const routes = new PlainRoutes(endpoints);
const patternOf = ({ path }: { readonly path: string }) =>
  new RegExp(`^${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`);
const words = [...new Set(endpoints.flatMap(({ path }) => path.split('/')))];

test('every route is found by its plain path, with what stands in it', (t) => {
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/\{(\w+)\}/g, 'any-$1');
    const found = routes.find(endpoint.method.toUpperCase(), path);
    t.is(found?.endpoint, endpoint, path);
    const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
    t.deepEqual(found?.params, Object.fromEntries(names.map((name) => [name, `any-${name}`])));
  }
});

test('whatever is found is what Express would have found first', (t) => {
  const segment = fc.oneof(fc.constantFrom(...words, 'x', 'a%20b', '', 'é'), fc.string());
  const near = fc
    .tuple(fc.constantFrom(...endpoints), fc.nat(), segment)
    .map(([{ path }, at, other]) => {
      const segments = path.split('/').map((each) => (each.startsWith('{') ? 'some_1d' : each));
      return segments.with(at % segments.length, other).join('/');
    });
  const far = fc.array(segment, { maxLength: 6 }).map((segments) => `/${segments.join('/')}`);
  const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE');
  let found = 0;
  const property = fc.property(method, fc.oneof(near, far), (asked, target) => {
    const routed = routes.find(asked, target);
    if (routed === undefined) return true;
    found += 1;
    const first = endpoints.find(
      (each) => each.method.toUpperCase() === asked && patternOf(each).test(target),
    );
    const values = first && patternOf(first).exec(target)?.slice(1);
    t.deepEqual(Object.values(routed.params), values ?? []);
    return routed.endpoint === first;
  });
  t.notThrows(() => fc.assert(property, { numRuns: 5_000 }));
  t.true(found > 0);
});

const item = endpoint({
  ...{ method: 'post', path: '/items/{item_id}/parts/{part}', role: 'miner', owner: 'nobody' },
  ...{ summary: 'a part', trafficClass: 0, faults: [] },
  params: z.object({ item_id: z.string().max(8), part: z.string() }),
  body: z.object({ size: z.number() }),
  response: z.record(z.string(), z.unknown()),
  handle: async ({ params, body }) => ({ ...params, ...body }),
});

// What is in percent encoding goes through Express.
for (const [plain, routed] of [
  ['/items/one/parts/two', '/items/one/parts/tw%6F'],
  ['/items/one-too-long/parts/two', '/items/one-too-long/parts/tw%6F'],
] as const) {
  for (const body of ['{"size":1}', '{"size":"1"}', '{', undefined]) {
    test(`${plain} with ${body} is answered alike without and through Express`, async (t) => {
      await using edge = await startFramework([item]);
      const headers = { ...traced, 'content-type': 'application/json' };
      const init = { headers, ...(body !== undefined && { body }) };

      const alone = await seen(await edge.request('POST', plain, init));
      const through = await seen(await edge.request('POST', routed, init));

      t.deepEqual(alone, through);
    });
  }
}
