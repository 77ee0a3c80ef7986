import { connect } from 'node:net';
import test from 'ava';
import { z } from 'zod';
import type { Endpoint } from '../../apps/edge/endpoint.ts';
import { endpoint } from '../../apps/edge/endpoint.ts';
import { flagText } from '../../apps/edge/wire/flag.ts';
import { sha256Hex } from '../../apps/edge/wire/hash.ts';
import { idText } from '../../apps/edge/wire/integer.ts';
import { pageQuery } from '../../apps/edge/wire/page.ts';
import { scoreIn } from '../../apps/edge/wire/score.ts';
import { uuid } from '../../apps/edge/wire/uuid.ts';
import { Fault, type FaultCode } from '../../machines/fault.ts';
import { detailOf, refusal as ownRefusal } from '../../machines/refusal.ts';
import { firstIssue, refusal, startFramework } from '../support/framework.ts';
import { refused } from './routes/answers.ts';

const anything = z.record(z.string(), z.unknown());
const echo = endpoint({
  method: 'post',
  path: '/echo/{id}',
  role: 'public',
  summary: 'Answers what it understood',
  trafficClass: 1,
  params: z.object({ id: uuid }),
  query: z.object({
    ...pageQuery({ limitMax: 500, limitDefault: 100 }),
    flag: flagText.optional(),
  }),
  body: z.object({
    score: scoreIn.optional(),
    signature: z.string().max(3).optional(),
    text: z.string(),
    free: z.unknown().optional(),
  }),
  response: anything,
  faults: [],
  async handle({ params, query, body }) {
    return { params, query, body };
  },
});
const byNumber = endpoint({
  method: 'get',
  path: '/suites/{suite_id}',
  role: 'public',
  summary: 'Finds nothing',
  trafficClass: 2,
  params: z.object({ suite_id: idText }),
  response: anything,
  faults: ['SUITE_NOT_FOUND'],
  async handle({ params }): Promise<Record<string, unknown>> {
    throw new Fault('SUITE_NOT_FOUND', `There is no suite ${params.suite_id}.`);
  },
});
const failing = (path: string, code: FaultCode) =>
  endpoint({
    ...{ method: 'get', path, role: 'public', summary: 'Fails', trafficClass: 2 },
    ...{ response: anything, faults: [code] },
    async handle(): Promise<Record<string, unknown>> {
      throw ownRefusal(code);
    },
  });
const byHash = endpoint({
  method: 'get',
  path: '/packs/{hash}',
  role: 'public',
  summary: 'Says the hash again',
  trafficClass: 2,
  params: z.object({ hash: sha256Hex }),
  response: anything,
  faults: [],
  async handle({ params }) {
    return params;
  },
});
const broken = endpoint({
  method: 'get',
  path: '/broken',
  role: 'public',
  summary: 'Fails',
  trafficClass: 2,
  response: anything,
  faults: [],
  async handle(): Promise<Record<string, unknown>> {
    throw new Error('select secret from table; at /srv/paddock/x.ts:1');
  },
});
const drifted = endpoint({
  method: 'get',
  path: '/drifted',
  role: 'public',
  summary: 'Answers what it does not describe',
  trafficClass: 2,
  response: z.object({ count: z.number() }),
  faults: [],
  async handle() {
    return JSON.parse('{"count": "7"}');
  },
});
const optional = endpoint({
  method: 'post',
  path: '/optional',
  role: 'public',
  summary: 'Takes a body or none, answers nothing',
  trafficClass: 1,
  body: z.object({ a: z.number() }).optional(),
  response: anything,
  mayBeEmpty: true,
  faults: [],
  async handle({ body }) {
    return body;
  },
});
const endpoints: readonly Endpoint[] = [echo, byNumber, byHash, broken, drifted, optional];
const id = '0123ABCD-0000-0000-0000-0000000000FF';

async function start() {
  return await startFramework(endpoints);
}

test('a request is validated, its unknown fields dropped and its ids lower-cased', async (t) => {
  await using edge = await start();
  const answer = await edge.post(`/echo/${id}?limit=5&flag=True`, {
    text: 'x',
    other: 1,
    score: 1,
  });
  t.is(answer.status, 200);
  t.deepEqual(await answer.json(), {
    params: { id: id.toLowerCase() },
    query: { limit: 5, offset: 0, flag: true },
    body: { text: 'x', score: 1 },
  });
});

test('every answer carries a trace id, nosniff and no framework name', async (t) => {
  await using edge = await start();
  const own = await edge.get('/nowhere');
  t.regex(own.headers.get('x-request-id') ?? '', /^[0-9a-f]{32}$/);
  t.is(own.headers.get('x-content-type-options'), 'nosniff');
  t.is(own.headers.get('x-powered-by'), null);
  t.is(own.headers.get('access-control-allow-origin'), null);
  const traceId = 'ab'.repeat(16);
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
  t.is((await edge.get('/nowhere', headers)).headers.get('x-request-id'), traceId);
});

test('unknown routes are 404 and known ones with another method 405 with Allow', async (t) => {
  await using edge = await start();
  const unknown = await edge.get('/nowhere');
  t.is(unknown.status, 404);
  t.is((await refusal(unknown)).error_code, 'ROUTE_NOT_FOUND');
  const other = await edge.post('/suites/1', {});
  t.is(other.status, 405);
  t.is(other.headers.get('allow'), 'GET, HEAD');
  t.is((await refusal(other)).error_code, 'METHOD_NOT_ALLOWED');
  for (const path of ['/suites/1/', '/Suites/1', '//suites/1']) {
    t.is((await edge.get(path)).status, 404, path);
  }
});

test('a request is measured by its route, whatever its path and its end', async (t) => {
  await using edge = await startFramework([byNumber]);

  t.is((await edge.get('/suites/7')).status, 404);

  const name = 'paddock.edge.request.duration';
  await edge.until(() => edge.measured.length > 0);
  t.deepEqual(edge.measured, [{ name, method: 'get', route: '/suites/{suite_id}', status: '4xx' }]);
});

// Any agent can bring the one about, and no operator can mend it; the other is ours.
test('what is refused for a provider is measured apart from what fails here', async (t) => {
  await using edge = await startFramework([
    failing('/lent', 'PROVIDER_UNAVAILABLE'),
    failing('/stored', 'STORE_UNAVAILABLE'),
  ]);

  t.deepEqual([(await edge.get('/lent')).status, (await edge.get('/stored')).status], [503, 503]);

  const [name, method] = ['paddock.edge.request.duration', 'get'];
  await edge.until(() => edge.measured.length > 1);
  t.deepEqual(edge.measured, [
    { name, method, route: '/lent', status: '5xx-provider' },
    { name, method, route: '/stored', status: '5xx' },
  ]);
});

test('HEAD is answered wherever GET is, without a body', async (t) => {
  await using edge = await start();
  const answer = await edge.request('HEAD', `/packs/${'a'.repeat(64)}`);
  t.is(answer.status, 200);
  t.is(await answer.text(), '');
  t.is(Number(answer.headers.get('content-length')), 75);
});

for (const [title, path] of [
  ['not a uuid', '/echo/123'],
  ['braces', `/echo/%7B${id}%7D`],
  ['no hyphens', `/echo/${id.replaceAll('-', '')}`],
  ['urn', `/echo/urn:uuid:${id}`],
  ['a trailing newline', `/echo/${id}%0a`],
  ['broken percent encoding', '/echo/%zz'],
  ['a repeated parameter', `/echo/${id}?limit=1&limit=1`],
  ['a repeated unknown parameter', `/echo/${id}?z=1&z=1`],
  ['an array', `/echo/${id}?limit[]=1`],
  ['an object', `/echo/${id}?limit%5Ba%5D=1`],
  ['a NUL', `/echo/${id}?z=%00`],
  ['limit 0', `/echo/${id}?limit=0`],
  ['limit 501', `/echo/${id}?limit=501`],
  ['limit -1', `/echo/${id}?limit=-1`],
  ['limit 100.5', `/echo/${id}?limit=100.5`],
  ['limit 10;', `/echo/${id}?limit=10;`],
  ['limit empty', `/echo/${id}?limit=`],
  ['limit with plus', `/echo/${id}?limit=%2B1`],
  ['limit with a space', `/echo/${id}?limit=+1`],
  ['limit 1e2', `/echo/${id}?limit=1e2`],
  ['a flag that is none', `/echo/${id}?flag=maybe`],
  ['a flag that objects know', `/echo/${id}?flag=constructor`],
  ['a flag that objects inherit', `/echo/${id}?flag=__proto__`],
] as const) {
  test(`422 in the array form: ${title}`, async (t) => {
    await using edge = await start();
    const answer = await edge.post(path, { text: 'x' });
    t.is(answer.status, 422);
    const issue = await firstIssue(answer);
    t.deepEqual(Object.keys(issue ?? {}), ['loc', 'msg', 'type', 'input', 'ctx']);
  });
}

test('integers in a path count in their canonical spelling only', async (t) => {
  await using edge = await start();
  for (const [text, status] of [
    ['0', 404],
    ['-1', 404],
    ['7', 404],
    ['1.0', 422],
    ['1e3', 422],
    ['0x1', 422],
    ['%201', 422],
    ['01', 422],
    ['-0', 422],
    ['١', 422],
    ['2147483648', 422],
    ['9223372036854775808', 422],
    [`1${'0'.repeat(30)}`, 422],
  ] as const) {
    t.is((await edge.get(`/suites/${encodeURI(text)}`)).status, status, text);
  }
  const refused = await (await edge.get('/suites/7')).json();
  t.deepEqual(refused, { detail: 'There is no suite 7.', error_code: 'SUITE_NOT_FOUND' });
});

for (const [title, body] of [
  ['malformed', '{"text": '],
  ['NaN', '{"text": "x", "score": NaN}'],
  ['infinite', '{"text": "x", "score": 1e400}'],
  ['negative zero', '{"text": "x", "score": -0}'],
  ['out of range', '{"text": "x", "score": 1.0000001}'],
  ['a NUL', '{"text": "\\u0000"}'],
  ['half a surrogate pair', '{"text": "\\ud800"}'],
  ['too deep', `{"text": "x", "free": ${'['.repeat(70)}${']'.repeat(70)}}`],
  ['an array', '[]'],
  ['null', 'null'],
  ['empty', ''],
] as const) {
  test(`422 for a body that is ${title}`, async (t) => {
    await using edge = await start();
    const answer = await edge.request('POST', `/echo/${id}`, {
      body,
      headers: { 'content-type': 'application/json' },
    });
    t.is(answer.status, 422);
    t.is((await firstIssue(answer))?.loc[0], 'body');
  });
}

test('a field without a meaning is dropped whatever text it holds', async (t) => {
  await using edge = await start();
  for (const odd of ['"more": "\\u0000"', '"\\ud800": 1', '"more": {"a": ["\\udc00"]}']) {
    const answer = await edge.request('POST', `/echo/${id}`, {
      body: `{"text": "x", ${odd}}`,
      headers: { 'content-type': 'application/json' },
    });
    t.is(answer.status, 200, odd);
  }
});

test('bytes that are not UTF-8 are no JSON', async (t) => {
  await using edge = await start();
  const answer = await edge.request('POST', `/echo/${id}`, {
    body: Buffer.from([0x22, 0xff, 0x22]),
    headers: { 'content-type': 'application/json' },
  });
  t.is(answer.status, 422);
});

test('what a client must keep secret is not shown back to it', async (t) => {
  await using edge = await start();
  const answer = await edge.post(`/echo/${id}`, { text: 7, signature: 'very-secret' });
  const text = await answer.text();
  t.false(text.includes('very-secret'));
  t.true(text.includes('[redacted]'));
});

test('a body over the limit is 413, announced or not, and the connection lives on', async (t) => {
  await using edge = await start();
  const large = JSON.stringify({ text: 'x'.repeat(70_000) });
  const announced = await edge.post(`/echo/${id}`, JSON.parse(large));
  t.is(announced.status, 413);
  t.is((await refusal(announced)).error_code, 'BODY_TOO_LARGE');
  const chunked = await edge.request('POST', `/echo/${id}`, {
    body: new Blob([large]).stream(),
    duplex: 'half',
    headers: { 'content-type': 'application/json' },
  });
  t.is(chunked.status, 413);
  t.is((await edge.post(`/echo/${id}`, { text: 'y' })).status, 200);
});

test('another media type, charset or a compressed body is 415', async (t) => {
  await using edge = await start();
  for (const headers of [
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/json; charset=latin1' },
    { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  ]) {
    const answer = await edge.request('POST', `/echo/${id}`, { body: '{"text":"x"}', headers });
    t.is(answer.status, 415);
  }
});

test('an optional body may be absent, and nothing to say is 204', async (t) => {
  await using edge = await start();
  t.is((await edge.request('POST', '/optional')).status, 204);
  t.is((await edge.post('/optional', { a: 1 })).status, 200);
  t.is((await edge.post('/optional', { a: 'x' })).status, 422);
});

test('a defect is a bland 500 whose cause is only reported', async (t) => {
  await using edge = await start();
  t.deepEqual(await refused(t, await edge.get('/broken'), '500 INTERNAL_ERROR'), {
    detail: detailOf('INTERNAL_ERROR'),
    error_code: 'INTERNAL_ERROR',
  });
  t.is(edge.reported.length, 1);
  t.is((await edge.get('/drifted')).status, 500);
});

test('reads are shed first, before their body is read, with a time to come back', async (t) => {
  const release = Promise.withResolvers<void>();
  const slow = endpoint({
    ...byHash,
    path: '/slow',
    params: undefined,
    async handle() {
      await release.promise;
      return {};
    },
  } as unknown as Endpoint);
  await using edge = await startFramework([slow, echo, byHash], {
    admission: { class0: 4, class1: 2, class2: 1 },
  });
  const held = edge.get('/slow');
  await edge.until(() => edge.inFlight() === 1);
  const shed = await edge.get(`/packs/${'a'.repeat(64)}`);
  t.is(shed.status, 503);
  t.is(shed.headers.get('x-admission'), 'rejected');
  t.regex(shed.headers.get('retry-after') ?? '', /^[1-9][0-9]?$/);
  t.true((await shed.text()).length <= 200);
  t.deepEqual(edge.counted, [{ name: 'paddock.edge.shed', lane: 'admission' }]);
  t.is((await edge.post(`/echo/${id}`, { text: 'x' })).status, 200);
  release.resolve();
  t.is((await held).status, 200);
});

test('a handler learns that its client is gone', async (t) => {
  const gone = Promise.withResolvers<string>();
  const slow = endpoint({
    method: 'get',
    path: '/slow',
    role: 'public',
    summary: 'Waits for the client to leave',
    trafficClass: 0,
    response: anything,
    faults: [],
    async handle({ context }) {
      context.signal.addEventListener('abort', () => gone.resolve('gone'));
      await gone.promise;
      return {};
    },
  });
  await using edge = await startFramework([slow]);
  const socket = connect(edge.port, '127.0.0.1');
  socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
  await edge.until(() => edge.inFlight() === 1);
  socket.destroy();
  t.is(await gone.promise, 'gone');
});
