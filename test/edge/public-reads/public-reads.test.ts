import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import test from 'ava';
import { z } from 'zod';
import { endpoint } from '../../../apps/edge/endpoint.ts';
import { PreparedAnswer } from '../../../apps/edge/prepared-answer.ts';
import { entityTagOf } from '../../../apps/edge/public-reads/entity-tag.ts';
import { PublicReads } from '../../../apps/edge/public-reads/public-reads.ts';
import { liveRead } from '../../../apps/edge/public-reads/send-representation.ts';
import { flagText } from '../../../apps/edge/wire/flag.ts';
import { sha256Hex } from '../../../infra/ids/ids.ts';
import { Fault } from '../../../machines/fault.ts';
import { refusal, startFramework } from '../../support/framework.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { silentTelemetry } from '../../support/silent-telemetry.ts';

const publicReads = (clock: ManualClock) =>
  new PublicReads({
    ...{ clock, patienceMs: 10_000, addressOf: () => 'here' },
    ...{ telemetry: silentTelemetry, bytesPerSecondMin: 1_000 },
    largestBytes: 1_000_000,
  });

const about = { method: 'get', role: 'public', summary: 'Reads', trafficClass: 2 } as const;

/** A page of `lines` that a client can change behind the edge's back, and how often it was read. */
async function startBoard(lines: number) {
  const state = { text: 'first', reads: 0, hold: Promise.resolve() };
  const board = endpoint({
    ...about,
    path: '/board',
    cache: liveRead,
    query: z.object({ all: flagText.default(false), fail: flagText.default(false) }),
    response: z.object({ lines: z.array(z.string()) }),
    faults: ['SUITE_NOT_FOUND'],
    async handle({ query }) {
      state.reads += 1;
      const { text } = state;
      await state.hold;
      if (query.fail) throw new Fault('SUITE_NOT_FOUND', 'no such suite');
      return { lines: Array.from({ length: lines }, () => text) };
    },
  });
  const edge = await startFramework([board]);
  const get = (headers: Record<string, string> = {}, method = 'GET', path = '/board') =>
    rawRequest(`http://127.0.0.1:${edge.port}${path}`, headers, method);
  return { state, edge, get, [Symbol.asyncDispose]: () => edge.drain() };
}

test('a public read may be kept for a moment, and asked for again by its tag', async (t) => {
  await using board = await startBoard(1);
  const whole = await board.get();
  t.is(whole.status, 200);
  t.is(whole.headers['cache-control'], 'public, max-age=2, stale-while-revalidate=10');
  t.is(whole.headers.vary, 'Accept-Encoding');
  const etag = whole.headers.etag ?? '';
  for (const known of [etag, etag.slice(2), `"x", ${etag}`, '*']) {
    const again = await board.get({ 'if-none-match': known });
    t.is(again.status, 304, known);
    t.is(again.body.length, 0);
    t.is(again.headers.etag, etag);
    t.is(again.headers.vary, 'Accept-Encoding');
    t.is(again.headers['cache-control'], whole.headers['cache-control']);
    t.is(again.headers['content-type'], undefined);
    t.is(again.headers['content-length'], undefined);
  }
  t.is((await board.get({ 'if-none-match': '"other"' })).status, 200);
  board.state.text = 'second';
  const changed = await board.get({ 'if-none-match': etag });
  t.is(changed.status, 200);
  t.not(changed.headers.etag, etag);
  t.deepEqual(JSON.parse(changed.body.toString()), { lines: ['second'] });
});

test('HEAD says what GET says, and sends nothing', async (t) => {
  await using board = await startBoard(500);
  for (const headers of [{}, { 'accept-encoding': 'gzip' }, { 'accept-encoding': 'br' }]) {
    const [get, head] = [await board.get(headers), await board.get(headers, 'HEAD')];
    t.is(head.status, 200);
    t.is(head.body.length, 0);
    t.is(Number(get.headers['content-length']), get.body.length);
    const sameHeaders = ['content-length', 'content-type', 'content-encoding', 'etag', 'vary'];
    for (const name of [...sameHeaders, 'cache-control']) {
      t.is(head.headers[name], get.headers[name], name);
    }
    const etag = get.headers.etag ?? '';
    t.is((await board.get({ ...headers, 'if-none-match': etag }, 'HEAD')).status, 304);
  }
});

test('what is large is compressed as the client likes, under one tag', async (t) => {
  await using board = await startBoard(500);
  const plain = await board.get();
  t.is(plain.headers['content-encoding'], undefined);
  const gzip = await board.get({ 'accept-encoding': 'gzip, deflate' });
  t.is(gzip.headers['content-encoding'], 'gzip');
  t.deepEqual(gunzipSync(gzip.body), plain.body);
  const br = await board.get({ 'accept-encoding': 'gzip, deflate, br' });
  t.is(br.headers['content-encoding'], 'br');
  t.deepEqual(brotliDecompressSync(br.body), plain.body);
  t.true(br.body.length < plain.body.length / 10);
  for (const { headers } of [plain, gzip, br]) {
    t.is(headers.etag, plain.headers.etag);
    t.is(headers['content-type'], 'application/json; charset=utf-8');
  }
  const refused = await board.get({ 'accept-encoding': 'gzip;q=0, br;q=0' });
  t.is(refused.headers['content-encoding'], undefined);
});

test('what is small goes as it is', async (t) => {
  await using board = await startBoard(3);
  const small = await board.get({ 'accept-encoding': 'gzip, br' });
  t.is(small.headers['content-encoding'], undefined);
  t.is(small.headers.vary, 'Accept-Encoding');
  const asked = await board.get({ 'accept-encoding': 'gzip, identity;q=0' });
  t.is(asked.headers['content-encoding'], 'gzip');
  t.deepEqual(gunzipSync(asked.body), small.body);
});

test('an answer to credentials is kept by nobody', async (t) => {
  await using board = await startBoard(1);
  const etag = (await board.get()).headers.etag ?? '';
  for (const credentials of [{ authorization: 'Bearer x' }, { 'x-hotkey': '5x' }]) {
    const answer = await board.get({ ...credentials, 'if-none-match': etag });
    t.is(answer.status, 200);
    t.is(answer.headers['cache-control'], 'no-store');
    t.is(answer.headers.etag, undefined);
  }
});

test('a crowd that asks the same costs two reads, and gets no older page than it asked for', async (t) => {
  await using board = await startBoard(1);
  const release = Promise.withResolvers<void>();
  board.state.hold = release.promise;
  const first = board.get();
  await board.edge.until(() => board.state.reads === 1);
  board.state.text = 'written after the first had read';
  const spellings = ['/board', '/board?all=false', '/board?fail=0&all=False', '/board?x=1'];
  const later = Array.from({ length: 40 }, (_, at) => board.get({}, 'GET', spellings[at % 4]));
  const other = board.get({}, 'GET', '/board?all=true');
  await board.edge.until(() => board.edge.inFlight() === 42);
  t.is(board.state.reads, 2, 'one of each key');
  release.resolve();
  t.deepEqual(JSON.parse((await first).body.toString()), { lines: ['first'] });
  for (const answer of await Promise.all(later)) {
    t.deepEqual(JSON.parse(answer.body.toString()), { lines: [board.state.text] });
  }
  t.is((await other).status, 200);
  t.is(board.state.reads, 3);
});

test('a refusal is told to each who waits, and kept by nobody', async (t) => {
  await using board = await startBoard(1);
  const path = '/board?fail=true';
  const refused = await Promise.all([1, 2, 3, 4].map(() => board.edge.get(path)));
  t.is(new Set(refused.map(({ headers }) => headers.get('x-request-id'))).size, 4);
  for (const answer of refused) {
    t.is(answer.status, 404);
    t.is(answer.headers.get('cache-control'), 'no-store');
    t.is(answer.headers.get('etag'), null);
    t.is((await refusal(answer)).error_code, 'SUITE_NOT_FOUND');
  }
  t.is((await board.get({ 'if-none-match': '*' }, 'GET', path)).status, 404);
});

test('a client that leaves takes nothing from those who wait for the same', async (t) => {
  await using board = await startBoard(1);
  const release = Promise.withResolvers<void>();
  board.state.hold = release.promise;
  const leaving = connect(board.edge.port, '127.0.0.1');
  leaving.write('GET /board HTTP/1.1\r\nHost: x\r\n\r\n');
  await board.edge.until(() => board.state.reads === 1);
  const staying = board.get();
  await board.edge.until(() => board.edge.inFlight() === 2);
  leaving.destroy();
  release.resolve();
  t.is((await staying).status, 200);
  t.deepEqual(board.edge.reported, []);
});

test('a read that hangs is given up, and the next one tried', async (t) => {
  const clock = new ManualClock();
  const reads = publicReads(clock);
  const hanging = reads.read('key', () => new Promise(() => undefined));
  const next = reads.read('key', async () => ({ fine: true }));
  const failed = t.throwsAsync(hanging, { instanceOf: Fault, code: 'STORE_UNAVAILABLE' });
  await clock.advance(10_000);
  await failed;
  t.is((await next).content.toString(), '{"fine":true}');
});

test('the same bytes are compressed once, whoever reads them and when', async (t) => {
  const reads = publicReads(new ManualClock());
  const page = { lines: Array.from({ length: 500 }, (_, line) => `line ${line}`) };
  const read = () => reads.read('key', async () => ({ ...page }));
  // Nobody knows at first that it will be asked for again.
  await read();
  const [one, same] = [await read(), await read()];
  t.is(await same.in('gzip'), await one.in('gzip'));
  const other = await reads.read('key', async () => ({ lines: [] }));
  t.not(other.tag, one.tag);
  const body = Buffer.from('x'.repeat(5000));
  const kept = async () => new PreparedAnswer({ body, isKept: true });
  const [first, second] = [await reads.read('kept', kept), await reads.read('kept again', kept)];
  t.is(await first.in('br'), await second.in('br'));
});

// A document of 64 MiB would hold up every other request for a quarter of a second.
test('bytes whose hash is known are tagged by it, and not hashed again', async (t) => {
  const reads = publicReads(new ManualClock());
  const body = Buffer.from('{"a": 1}');
  const read = (key: string, sha256: string) =>
    reads.read(key, async () => new PreparedAnswer({ body: Buffer.from(body), sha256 }));

  t.is((await read('own', sha256Hex(body))).tag, entityTagOf(body));
  t.is((await read('said', sha256Hex('other'))).tag, entityTagOf('other'));
});

test('who reads all pages once crowds out none that is read again', async (t) => {
  const reads = publicReads(new ManualClock());
  const page = (at: number) => reads.read(`page ${at}`, async () => ({ at }));
  await page(0);
  const [popular, other] = [await page(0), await page(1)];
  for (let at = 2; at < 2_000; at += 1) await page(at);
  t.is(await page(0), popular);
  t.not(await page(1), other);
  for (let at = 2_000; at < 2_300; at += 1) for (const _ of [1, 2]) await page(at);
  t.not(await page(0), popular, 'what others ask for twice takes the place of what nobody does');
});
