import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { startTestService, type TestService } from '../support/edge.ts';

let service: TestService;
test.before(async () => {
  service = await startTestService();
});
test.after.always(() => service?.stop());

/** Everything that comes back on one connection, until the service closes it. */
async function raw(bytes: string | Uint8Array): Promise<string> {
  const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
  // What a close with unread bytes does to us is not what is asked here.
  socket.on('error', () => undefined);
  socket.write(bytes);
  const [answer] = await Promise.all([text(socket).catch(() => ''), once(socket, 'close')]);
  return answer;
}

const parts = (answer: string) => {
  const end = answer.indexOf('\r\n\r\n');
  return { head: answer.slice(0, end), body: answer.slice(end + 4) };
};

const leak =
  /node_modules|\.ts:\d|at \w+ \(|select |insert |postgres|nats:|127\.0\.0\.1|localhost/i;

/** What holds of every refusal, whatever was asked. */
function isProperRefusal(t: ExecutionContext, body: string, what: string): void {
  const parsed: unknown = JSON.parse(body);
  t.true(typeof parsed === 'object' && parsed !== null && 'detail' in parsed, `${what}: ${body}`);
  t.notRegex(body, leak, what);
}

const host = 'Host: x\r\nConnection: close\r\n';
const post = (headers: string, body = '') =>
  `POST /v1/auth/challenge HTTP/1.1\r\n${host}${headers}\r\n\r\n${body}`;
const get = (target: string) => `GET ${target} HTTP/1.1\r\n${host}\r\n`;
const jsonType = 'Content-Type: application/json\r\n';
const chunked = (body: string) => post(`${jsonType}Transfer-Encoding: chunked`, body);

const messages: readonly (readonly [title: string, bytes: string | Uint8Array, status: number])[] =
  [
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['a TLS handshake', Buffer.from('16030100a5010000a10303', 'hex'), 400],
    ['HTTP/2 without asking', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['bare line feeds', 'GET /health HTTP/1.1\nHost: x\n\n', 400],
    ['an unknown method', `FOO /health HTTP/1.1\r\n${host}\r\n`, 400],
    ['a space in the target', get('/v1/public/suites x'), 400],
    ['no Host', 'GET /health HTTP/1.1\r\n\r\n', 400],
    ['a folded header', `GET /health HTTP/1.1\r\n${host}X-A: b\r\n c\r\n\r\n`, 400],
    ['a NUL in a header', `GET /health HTTP/1.1\r\n${host}X-A: b\0c\r\n\r\n`, 400],
    ['a header of 40 kB', `GET /health HTTP/1.1\r\n${host}X-A: ${'b'.repeat(40_000)}\r\n\r\n`, 431],
    ['a hundred headers', `GET /health HTTP/1.1\r\n${host}${'X-A: b\r\n'.repeat(99)}\r\n`, 431],
    ['ten thousand headers', `GET /health HTTP/1.1\r\n${host}${'a:\r\n'.repeat(10_000)}\r\n`, 431],
    ['two Hosts', `GET /health HTTP/1.1\r\nHost: y\r\n${host}\r\n`, 400],
    ['a space before a colon', `GET /health HTTP/1.1\r\n${host}X-A : b\r\n\r\n`, 400],
    ['a header without a name', `GET /health HTTP/1.1\r\n${host}: b\r\n\r\n`, 400],
    ['a bare carriage return', `GET /health HTTP/1.1\r\n${host}X-A: b\rX-B: c\r\n\r\n`, 400],
    ['an older protocol', 'GET /health\r\n\r\n', 505],
    ['a newer protocol', `GET /health HTTP/3.7\r\n${host}\r\n`, 400],
    ['two equal lengths', post('Content-Length: 2\r\nContent-Length: 2', '{}'), 400],
    ['a list of lengths', post('Content-Length: 2, 2', '{}'), 400],
    ['a length with a sign', post('Content-Length: +2', '{}'), 400],
    ['a length in hex', post('Content-Length: 0x2', '{}'), 400],
    ['a length beyond counting', post(`Content-Length: ${'9'.repeat(30)}`), 400],
    ['a length that is too large', post(`${jsonType}Content-Length: 99999999`), 413],
    [
      'chunks that something follows',
      post('Transfer-Encoding: chunked, identity', '0\r\n\r\n'),
      400,
    ],
    [
      'chunks by two headers',
      post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', '0\r\n\r\n'),
      400,
    ],
    ['chunks of another spelling', post('Transfer-Encoding: xchunked', '0\r\n\r\n'), 400],
    [
      'chunks in HTTP/1.0',
      `POST /v1/auth/challenge HTTP/1.0\r\n${jsonType}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
      422,
    ],
    ['a chunk with too many words', chunked(`2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`), 413],
    ['a chunk that is longer than it says', chunked('2\r\n{}}}\r\n0\r\n\r\n'), 400],
    ['a chunk with a sign', chunked('+2\r\n{}\r\n0\r\n\r\n'), 400],
    ['a chunk that ends with a line feed', chunked('2\n{}\n0\n\n'), 400],
    ['trailers that would prove a key', chunked(`2\r\n{}\r\n0\r\nX-Hotkey: a\r\n\r\n`), 422],
    [
      'trailers without end',
      chunked(`2\r\n{}\r\n0\r\n${`X-A: ${'b'.repeat(90)}\r\n`.repeat(250)}\r\n`),
      431,
    ],
    ['two lengths', post('Content-Length: 1\r\nContent-Length: 2', 'x'), 400],
    [
      'length and chunks',
      post('Content-Length: 1\r\nTransfer-Encoding: chunked', '0\r\n\r\n'),
      400,
    ],
    ['a negative length', post('Content-Length: -1'), 400],
    ['another transfer encoding', post('Transfer-Encoding: gzip', 'x'), 400],
    ['a chunk that is none', post(`${jsonType}Transfer-Encoding: chunked`, 'zz\r\n'), 400],
    [
      'a chunk beyond counting',
      post(`${jsonType}Transfer-Encoding: chunked`, `${'f'.repeat(20)}\r\n`),
      400,
    ],
    [
      'an expectation of ours',
      post(`${jsonType}Expect: 200-maybe\r\nContent-Length: 2`, '{}'),
      417,
    ],
    ['a tunnel', `CONNECT a:1 HTTP/1.1\r\n${host}\r\n`, 405],
    ['TRACK', `TRACK /health HTTP/1.1\r\n${host}\r\n`, 400],
    ['PROPFIND', `PROPFIND /health HTTP/1.1\r\n${host}\r\n`, 405],
    [
      'a browser that asks beforehand',
      `OPTIONS /v1/public/suites HTTP/1.1\r\n${host}Origin: https://evil.example\r\nAccess-Control-Request-Method: GET\r\n\r\n`,
      405,
    ],
    ['TRACE', `TRACE /health HTTP/1.1\r\n${host}\r\n`, 405],
    ['OPTIONS for all', `OPTIONS * HTTP/1.1\r\n${host}\r\n`, 404],
    ['dots', get('/v1/public/../admin/overview'), 404],
    ['dots in the absolute form', get('http://x/v1/public/../admin/overview'), 404],
    ['a backslash', get('/v1\\public\\suites'), 404],
    ['another host in the path', get('//evil.example/health'), 404],
    ['no path at all', get('x'), 400],
    ['two slashes', get('//v1//public/suites'), 404],
    ['dots in percent encoding', get('/v1/public/%2e%2e/admin/overview'), 404],
    ['a slash in percent encoding', get('/v1/public/suites/1%2fproblems'), 404],
    ['a NUL in the path', get('/v1/public/agent-versions/%00/status'), 422],
    ['a path that is no UTF-8', get('/v1/public/agent-versions/%ff/status'), 422],
    ['a NUL in the query', get('/v1/public/leaderboard?q=%00'), 422],
    ['half a surrogate pair in the query', get('/v1/public/leaderboard?q=%ED%A0%80'), 422],
    ['a query of 8 kB', get(`/v1/public/leaderboard?q=${'a'.repeat(8_000)}`), 422],
    ['a query of 10 kB', get(`/v1/public/leaderboard?q=${'a'.repeat(10_000)}`), 414],
    ['a query without end', get(`/v1/public/leaderboard?q=${'a'.repeat(60_000)}`), 414],
    ['a path of 9 kB', get(`/v1/${'a'.repeat(9_000)}`), 414],
    [
      'a compressed body',
      post(`${jsonType}Content-Encoding: gzip\r\nContent-Length: 2`, '{}'),
      415,
    ],
  ];

const json = (text: string) => post(`${jsonType}Content-Length: ${text.length}`, text);
const keys = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => `"${from + at}":0`).join();

/** Each is one body of at most 64 kB. */
const bodies: readonly (readonly [title: string, text: string])[] = [
  ['a number beyond all', '{"hotkey":1e999999}'],
  ['a number of 400 digits', `{"hotkey":${'9'.repeat(400)}}`],
  ['a number of 60,000 digits', `{"hotkey":0.${'1'.repeat(60_000)}}`],
  ['a number with 60,000 zeros', `{"hotkey":1e-${'0'.repeat(60_000)}1}`],
  ['6,500 keys', `{${keys(6_500)}}`],
  ['one key 10,000 times', `{${'"a":0,'.repeat(10_000)}"a":0}`],
  ['a field that comes twice', '{"hotkey":"a","hotkey":1}'],
  ['a prototype', '{"__proto__":{"hotkey":"a"}}'],
  ['a constructor', '{"constructor":{"prototype":{"hotkey":"a"}}}'],
  ['a text of 60 kB', `{"hotkey":"${'a'.repeat(60_000)}"}`],
  ['65 arrays', `{"hotkey":${'['.repeat(65)}${']'.repeat(65)}}`],
  ['30,000 arrays that do not end', '['.repeat(30_000)],
  ['something behind the end', '{"hotkey":"a"}{}'],
  ['a comment', '{"hotkey":"a"/* */}'],
  ['a byte order mark', '\u00ef\u00bb\u00bf{}'],
  ['no JSON', '<hotkey/>'],
];

for (const [title, text] of bodies) {
  test(`a body with ${title}: 422 in JSON, soon`, async (t) => {
    const { head, body } = parts(await raw(Buffer.from(json(text), 'latin1')));
    t.regex(head, /^HTTP\/1\.1 422 /);
    isProperRefusal(t, body, title);
    // What is refused is not sent back at any length.
    t.true(body.length < 5_000, `${body.length} bytes`);
  });
}

test('every answer keeps browsers out, and says nothing of what we are made of', async (t) => {
  const answers = [
    await raw(get('/health')),
    await raw(get('/nowhere')),
    await raw(get('/v1/public/suites')),
    await raw('hello\r\n\r\n'),
    await raw(`GET /v1/admin/overview HTTP/1.1\r\n${host}Origin: https://evil.example\r\n\r\n`),
  ];
  for (const answer of answers) {
    const { head } = parts(answer);
    t.regex(head, /^x-content-type-options: nosniff$/im);
    t.regex(head, /^content-security-policy: default-src 'none'; frame-ancestors 'none'$/im);
    t.regex(head, /^referrer-policy: no-referrer$/im);
    t.regex(head, /^cross-origin-resource-policy: same-origin$/im);
    t.notRegex(head, /^(access-control|server|x-powered-by|via|strict-transport)/im);
  }
  const docs = parts(await raw(get('/docs'))).head;
  t.regex(docs, /^content-security-policy: default-src 'none'; .*frame-ancestors 'none'/im);
  t.notRegex(docs, /unsafe-/);
});

for (const [title, bytes, status] of messages) {
  test(`${title}: ${status} in JSON`, async (t) => {
    const { head, body } = parts(await raw(bytes));
    t.regex(head, new RegExp(`^HTTP/1\\.1 ${status} `));
    t.regex(head, /^x-request-id: [0-9a-f]{32}$/im);
    isProperRefusal(t, body, title);
    t.is((await service.call('GET', '/health')).status, 200);
  });
}

test('an upgrade nobody offers, HTTP/1.0 and names of the prototype are plain requests', async (t) => {
  const upgrade =
    'GET /health HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n';
  t.regex(await raw(upgrade), /^HTTP\/1\.1 200 /);
  t.regex(await raw('GET /health HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 /);
  t.regex(await raw(get('http://evil.example/health')), /^HTTP\/1\.1 200 /);
  const names = '/v1/public/leaderboard?__proto__=1&constructor=2&toString=3';
  t.regex(await raw(get(names)), /^HTTP\/1\.1 200 /);
});

test('requests in one packet are answered in order, up to the one that is none', async (t) => {
  const first = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n';
  const answers = await raw(`${first}${first}${get('/nowhere')}`);
  t.deepEqual(answers.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 404']);
});

test('a client that waits for the word to go on gets it once, when its body is wanted', async (t) => {
  const waits = `${jsonType}Expect: 100-continue\r\nContent-Length:`;
  const wanted = await raw(post(`${waits} 2`, '{}'));
  t.deepEqual(wanted.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 100', 'HTTP/1.1 422']);
  const tooLarge = await raw(post(`${waits} 99999999`));
  t.deepEqual(tooLarge.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 413']);
});
