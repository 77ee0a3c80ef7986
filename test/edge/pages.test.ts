import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { readPageFiles } from '../../apps/edge/pages/page-files.ts';
import { Pages } from '../../apps/edge/pages/pages.ts';
import { getHealth } from '../../apps/edge/routes/health/get-health.ts';
import { refusal, startFramework } from '../support/framework.ts';

// Serves what the bootstrap built from this tree.

const storeOrigin = 'http://127.0.0.1:9000';

function builtPages(): Pages {
  const files = readPageFiles();
  if (files === undefined) throw new Error('run "node apps/dashboard/build.mjs" first');
  return new Pages(files, storeOrigin);
}

const startEdge = () => startFramework([getHealth], { pages: builtPages() });
type Edge = Awaited<ReturnType<typeof startEdge>>;
const get = (edge: Edge, path: string, headers: Record<string, string> = {}) =>
  edge.request('GET', path, { headers });

async function assetOf(edge: Edge): Promise<string> {
  const text = await (await get(edge, '/')).text();
  return /src="([^"]+)"/.exec(text)?.[1] ?? '';
}

test('every path of the app answers its page, under a policy that lets nothing else in', async (t) => {
  await using edge = await startEdge();
  for (const path of ['/', '/?page=2', '/app/races', '/app/versions/some-id', '/app/operator']) {
    const answer = await get(edge, path);

    t.is(answer.status, 200, path);
    t.is(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    t.is(answer.headers.get('cache-control'), 'no-cache');
    t.is(answer.headers.get('x-content-type-options'), 'nosniff');
    t.regex(answer.headers.get('x-request-id') ?? '', /^[0-9a-f]{32}$/);
    const policy = answer.headers.get('content-security-policy') ?? '';
    t.regex(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
    t.true(policy.includes(`connect-src 'self' ${storeOrigin};`));
    t.false(policy.includes('unsafe'));
    t.regex(await answer.text(), /^<!doctype html>/);
  }
});

test('pages count by address whatever the headers of their reader say', async (t) => {
  const taken: string[] = [];
  const take = async (address: string) => void taken.push(address);
  await using edge = await startFramework([getHealth], {
    pages: builtPages(),
    anonymous: { take },
  });
  for (const headers of [{}, { authorization: 'Bearer x' }, { 'x-hotkey': 'nobody' }]) {
    t.is((await get(edge, '/', headers)).status, 200);
  }
  t.deepEqual(taken, Array(3).fill('127.0.0.1'));
});

test('a path of the app that is none gets the app’s own page with 404', async (t) => {
  await using edge = await startEdge();
  for (const path of ['/app', '/app/', '/app/x', '/app/runs/a/b', '/app/assets/main-OLD.js']) {
    const answer = await get(edge, path);

    t.is(answer.status, 404, path);
    t.is(answer.headers.get('cache-control'), 'no-cache');
    t.regex(await answer.text(), /^<!doctype html>/);
  }
});

test('assets are kept for ever, for their names change with their content', async (t) => {
  await using edge = await startEdge();
  const path = await assetOf(edge);
  t.regex(path, /^\/app\/assets\/main-[A-Z0-9]{8}\.js$/);

  const answer = await get(edge, path);

  t.is(answer.status, 200);
  t.is(answer.headers.get('content-type'), 'text/javascript; charset=utf-8');
  t.is(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  t.is(answer.headers.get('vary'), 'Accept-Encoding');
});

test('each coding is one of the same bytes, and the best that is taken is sent', async (t) => {
  await using edge = await startEdge();
  const path = await assetOf(edge);
  const plain = await (await get(edge, path, { 'accept-encoding': 'identity' })).text();
  for (const [accepted, coding] of [
    ['gzip, br', 'br'],
    ['gzip', 'gzip'],
    ['identity', null],
  ] as const) {
    const answer = await get(edge, path, { 'accept-encoding': accepted });
    t.is(answer.headers.get('content-encoding'), coding);
    t.is(await answer.text(), plain);
  }
});

test('all of it together is small enough for a slow line', (t) => {
  const { index, assets } = readPageFiles() ?? { index: undefined, assets: new Map() };
  const sizes = [index, ...assets.values()].map((file) => file?.br.length ?? Number.NaN);

  t.is(sizes.length, 3);
  t.true(sizes.reduce((sum, size) => sum + size, 0) < 64 * 1024, sizes.join());
});

test('who has a file already is told so, and HEAD tells all but the bytes', async (t) => {
  await using edge = await startEdge();
  for (const path of ['/', await assetOf(edge)]) {
    const first = await get(edge, path);
    const tag = first.headers.get('etag') ?? '';
    const length = first.headers.get('content-length');
    await first.text();

    const again = await get(edge, path, { 'if-none-match': tag });
    const head = await edge.request('HEAD', path);

    t.is(again.status, 304);
    t.is(await again.text(), '');
    t.is(head.status, 200);
    t.is(head.headers.get('content-length'), length);
    t.is(await head.text(), '');
  }
});

test('the API answers as it does without pages', async (t) => {
  await using edge = await startEdge();
  await using bare = await startFramework([getHealth]);
  for (const [method, path] of [
    ['GET', '/health'],
    ['GET', '/v1/nothing'],
    ['GET', '/apps'],
    ['GET', '/index.html'],
    ['POST', '/health'],
    ['GET', '/%ff'],
  ] as const) {
    const [mine, other] = [await edge.request(method, path), await bare.request(method, path)];
    t.is(mine.status, other.status, path);
    t.is(await mine.text(), await other.text(), path);
  }
});

test('who asks the root for JSON alone, or changes anything there, is refused as ever', async (t) => {
  await using edge = await startEdge();

  const json = await get(edge, '/', { accept: 'application/json' });
  const post = await edge.request('POST', '/app/races');

  t.is(json.status, 404);
  t.is((await refusal(json)).error_code, 'ROUTE_NOT_FOUND');
  t.is(post.status, 405);
  t.is(post.headers.get('allow'), 'GET, HEAD');
});

test('no file outside the built ones is ever served', async (t) => {
  await using edge = await startEdge();
  for (const name of ['../index.html', '..%2f..%2fbuild.mjs', 'constructor', '__proto__', '']) {
    const answer = await get(edge, `/app/assets/${name}`);
    t.not(answer.status, 200, name);
    await answer.text();
  }
});

test('where nothing was built there are no pages', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-pages-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));

  t.is(readPageFiles(folder), undefined);
});
