import type { Dice } from '../../fuzz/dice.ts';
import type { Category, HostileRequest } from '../hostile-request.ts';
import type { Material } from '../material.ts';
import { routesOf } from './routes.ts';

const host = 'Host: x\r\nConnection: close\r\n';
const get = (target: string, headers = host) => `GET ${target} HTTP/1.1\r\n${headers}\r\n`;
const post = (headers: string, body = '') =>
  `POST /v1/auth/challenge HTTP/1.1\r\n${host}Content-Type: application/json\r\n${headers}\r\n\r\n${body}`;
const chunked = 'Transfer-Encoding: chunked';
const smuggled = 'GET /v1/admin/overview HTTP/1.1\r\nHost: x\r\n\r\n';

/** What a lenient parser would take for one request, or for two. */
const odd: readonly string[] = [
  ...[
    'hello\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\u0016\u0003\u0001\u0000\u00a5\u0001\r\n\r\n',
  ],
  ...[
    'GET /health HTTP/1.1\nHost: x\n\n',
    'GET /health HTTP/1.1\r\n\r\n',
    'GET /health HTTP/9.9\r\n\r\n',
  ],
  ...[
    'GET /v1/admin/overview HTTP/1.1 HTTP/1.1\r\nHost: x\r\n\r\n',
    `FOO /health HTTP/1.1\r\n${host}\r\n`,
    'GET /v1/admin/overview\r\n\r\n',
  ],
  get('/v1/public/suites x'),
  get('/health', `${host}X-A: b\r\n c\r\n`),
  get('/health', `${host}X-A: b\u0000c\r\n`),
  get('/health', `${host}X-A : b\r\n`),
  get('/health', `${host}X-A: ${'b'.repeat(40_000)}\r\n`),
  get('/health', `${host}: b\r\n`),
  get(`/${'a'.repeat(40_000)}`),
  ...['-1', '+2', '0x2', '2, 2', '2,3', '1e1', '99999999999999999999', 'two', ''].map((length) =>
    post(`Content-Length: ${length}`, '{}'),
  ),
  post('Content-Length: 1\r\nContent-Length: 2', 'x'),
  post(`Content-Length: 4\r\n${chunked}`, `0\r\n\r\n${smuggled}`),
  post(`${chunked}\r\nContent-Length: 4`, `0\r\n\r\n${smuggled}`),
  post(`Content-Length: 6\r\nTransfer-Encoding: xchunked`, `0\r\n\r\n${smuggled}`),
  post(`${chunked}\r\nTransfer-Encoding: identity`, `0\r\n\r\n${smuggled}`),
  post('Transfer-Encoding: gzip, chunked', '0\r\n\r\n'),
  post('Transfer-Encoding:\u000bchunked', `0\r\n\r\n${smuggled}`),
  post(`Transfer-Encoding : chunked`, `0\r\n\r\n${smuggled}`),
  post(chunked, 'zz\r\n'),
  post(chunked, `${'f'.repeat(20)}\r\n`),
  post(chunked, '2;a=b\nxx\r\n0\r\n\r\n'),
  post(chunked, `2\r\n{}xx0\r\n\r\n${smuggled}`),
  post(chunked, `1;${'a'.repeat(70_000)}\r\n{\r\n0\r\n\r\n`),
  post('Expect: 200-maybe\r\nContent-Length: 2', '{}'),
  `CONNECT a:1 HTTP/1.1\r\n${host}\r\n`,
  `TRACE /health HTTP/1.1\r\n${host}\r\n`,
  `PUT /health HTTP/1.1\r\n${host}Content-Length: 0\r\n\r\n`,
];

/** Well-formed, of routes that are not. */
const lost: readonly string[] = [
  ...['//v1//public/suites', '/v1/public/%2e%2e/admin/overview', '/v1/public/suites/1%2fproblems'],
  ...[
    '/V1/public/suites',
    '/v1/public/suites/',
    '/v1/public/suites;a=b',
    '/v1/public/../admin/overview',
  ],
  ...[
    '/.env',
    '/.git/config',
    '/wp-login.php',
    '/v1/admin',
    '/metrics',
    '/debug/pprof',
    '/v2/public/suites',
  ],
  ...[
    '/v1/public/suites%00',
    '/v1/public/suites%20',
    '/v1\\public\\suites',
    '/%2fv1/public/suites',
    '*',
  ],
  ...['/v1/public/agent-versions/%00/status', '/v1/public/agent-versions/%ff/status', '/%'],
  ...[
    '/v1/public/leaderboard?q=%00',
    '/v1/public/leaderboard?q=%ED%A0%80',
    'http://x/v1/admin/overview',
  ],
];

const methods = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'TRACE',
  'PROPFIND',
  'SEARCH',
  'LOCK',
] as const;
/** 429 too: those of them that can be read name no address, and so share one. */
const ended = [
  0, 400, 401, 404, 405, 408, 411, 413, 414, 415, 417, 422, 429, 431, 501, 505,
] as const;

/** Raw bytes: requests that are none, two in one, of unknown methods, paths and versions. */
export function protocol(material: Material, share: number): Category {
  const routes = routesOf(material, 'miner', 'validator', 'operator');
  return { name: 'bytes, methods and paths', share, make };
  function make(dice: Dice): HostileRequest {
    if (dice.chance(0.2)) return raw(dice.pick(odd) ?? '', dice);
    const { target } = dice.pick(routes);
    const isLost = dice.chance(0.6);
    const path = isLost
      ? (dice.pick(lost) ?? '/')
      : `${target}${dice.pick(['/', '//', '%2f', '/x', ';x'])}`;
    const method = dice.pick(methods);
    const address = `10.1.${dice.whole(0, 255)}.${dice.whole(0, 255)}`;
    const more = `X-HTTP-Method-Override: DELETE\r\nX-Original-URL: /v1/admin/overview\r\n`;
    const head = `${method} ${path} HTTP/1.1\r\nHost: ${dice.pick(['x', '', 'evil:80', 'a b'])}\r\n`;
    const text = `${head}X-Forwarded-For: ${address}\r\n${more}\r\n`;
    return { bytes: Buffer.from(text, 'latin1'), lane: 'kept', expected: ended };
  }
}

/** As it is, or with one byte of it changed; only what cannot become right by that. */
function raw(text: string, dice: Dice): HostileRequest {
  const bytes = Buffer.from(text, 'latin1');
  if (dice.chance(0.3) && !text.startsWith('GET /health')) {
    bytes[dice.whole(0, bytes.length - 1)] = dice.whole(0, 255);
  }
  return { bytes, lane: 'alone', expected: ended };
}
