import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import test from 'ava';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { createGuardedPost } from '../../../infra/outbound/guarded-post.ts';
import type { OutboundOutcome } from '../../../infra/ports/outbound-post.ts';

const timeoutMs = 300;
/** Who says something is heard on a slow machine, too; one of them says less than announced, and is waited for so long. */
const answerMs = 10_000;
/** A hung sender is told from a slow machine by this. */
const patienceMs = 60_000;

interface Receiver {
  /** What it writes once anything came. */
  readonly says: string;
  readonly hangsUp: boolean;
}

const notPublic =
  'the address is not public: if its host may be told, list it in WEBHOOK_PRIVATE_HOSTS';

async function outcomeOf(receiver: Receiver): Promise<OutboundOutcome | 'hung'> {
  const { says, hangsUp } = receiver;
  const limitMs = says === '' && !hangsUp ? timeoutMs : answerMs;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => (hangsUp ? socket.end(says) : socket.write(says)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const outbound = createGuardedPost({ privateHosts: ['127.0.0.1'], clock: systemClock });
  const stopped = new AbortController();
  const { signal } = stopped;
  const url = `http://127.0.0.1:${port}/`;
  const outcome = outbound.post({ url, headers: {}, body: 'news', timeoutMs: limitMs, signal });
  const hung = systemClock.sleep(patienceMs, signal).then(() => 'hung' as const);
  const first = await Promise.race([outcome, hung]);
  stopped.abort();
  server.close();
  return first;
}

const head = (status: string, ...headers: string[]) =>
  `HTTP/1.1 ${[status, ...headers].join('\r\n')}\r\n\r\n`;

const answered: Readonly<Record<string, readonly [says: string, status: number]>> = {
  'another protocol': [head('101 Switching', 'Connection: upgrade', 'Upgrade: other'), 101],
  'another protocol without a name': [head('101 Switching'), 101],
  'an offer of another protocol': [head('204 Told', 'Connection: upgrade', 'Upgrade: other'), 204],
  'hints before the answer': [`${head('103 Hints')}${head('200 OK', 'Content-Length: 0')}`, 200],
  'less than was announced': [`${head('200 OK', 'Content-Length: 9')}abc`, 200],
  'chunks that are none': [`${head('200 OK', 'Transfer-Encoding: chunked')}zz\r\n`, 200],
  'more than anybody reads': [`${head('200 OK')}${'a'.repeat(1_000_000)}`, 200],
  'a redirect': [head('302 Found', 'Location: http://127.0.0.1/', 'Content-Length: 0'), 302],
};
for (const [what, [says, status]] of Object.entries(answered)) {
  for (const hangsUp of [false, true]) {
    test(`a receiver that sends ${what}${hangsUp ? ' and hangs up' : ''} has answered`, async (t) => {
      const outcome = await outcomeOf({ says, hangsUp });
      t.deepEqual(outcome, { kind: 'answered', status });
    });
  }
}

const failed: Readonly<Record<string, readonly [says: string, hangsUp: boolean, reason: RegExp]>> =
  {
    'says nothing': ['', false, /^no answer within 0\.3 s$/],
    'hangs up': ['', true, /ECONNRESET/],
    'speaks no HTTP': ['SSH-2.0-here\r\n', false, /HPE_INVALID/],
    'sends headers without end': [
      `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(200_000)}`,
      false,
      /OVERFLOW/,
    ],
  };
for (const [what, [says, hangsUp, reason]] of Object.entries(failed)) {
  test(`an attempt at a receiver that ${what} fails, and says why`, async (t) => {
    const outcome = await outcomeOf({ says, hangsUp });
    t.true(outcome !== 'hung' && outcome.kind === 'failed' && reason.test(outcome.reason));
  });
}

const told: readonly (readonly [what: string, addresses: readonly string[]])[] = [
  ['a private address', ['127.0.0.1']],
  ['the address of a metadata service', ['169.254.169.254']],
  ['a private one among public ones', ['192.0.43.8', '10.0.0.1']],
  ['a mapped one', ['::ffff:127.0.0.1']],
  ['an IPv6 loopback', ['::1']],
  ['nothing', []],
];
for (const [what, addresses] of told) {
  test(`a name that resolves to ${what} is not connected to, and is looked up once`, async (t) => {
    let lookups = 0;
    // The second answer would be another one, as of who rebinds its name after the check.
    const outbound = createGuardedPost({
      ...{ privateHosts: [], clock: systemClock },
      resolve: (_name, _options, done) => {
        lookups += 1;
        const now = lookups === 1 ? addresses : ['192.0.43.8'];
        done(
          null,
          now.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        );
      },
    });
    const { signal } = new AbortController();
    for (const name of ['rebinding.example', 'localhost', 'localhost.', '127.0.0.1.example']) {
      lookups = 0;
      const message = { url: `http://${name}:9/`, headers: {}, body: '', timeoutMs, signal };
      t.deepEqual(await outbound.post(message), {
        kind: 'failed',
        reason: notPublic,
      });
      t.is(lookups, 1, name);
    }
  });
}

for (const host of [
  '127.1',
  '169.254.169.254',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '①②⑦.0.0.1',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '[::1]',
  '[0:0:0:0:0:ffff:a9fe:a9fe]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[fe80::1]',
  '[fd00::1]',
  '0x7f.1',
  '2130706433',
  '0177.0.0.1',
  '0',
  '[::ffff:127.0.0.1]',
  '[::]',
]) {
  test(`an address is private however it is spelled: ${host}`, async (t) => {
    const outbound = createGuardedPost({ privateHosts: ['localhost'], clock: systemClock });
    const { signal } = new AbortController();
    const message = { url: `http://${host}:9/`, headers: {}, body: '', timeoutMs, signal };
    t.deepEqual(await outbound.post(message), {
      kind: 'failed',
      reason: notPublic,
    });
  });
}

for (const listed of ['[::1]', '::1', '[0:0::1]', '0::1', '127.0.0.1', 'LOCALHOST']) {
  test(`a private host is found however it is spelled: ${listed}`, async (t) => {
    const outbound = createGuardedPost({ privateHosts: [listed], clock: systemClock });
    const { signal } = new AbortController();
    const host = listed.includes(':') ? '[::1]' : listed;
    // Nobody listens there: an address that is refused is not even tried.
    const message = { url: `http://${host}:9/`, headers: {}, body: '', timeoutMs, signal };
    const outcome = await outbound.post(message);
    t.true(outcome.kind === 'failed' && outcome.reason !== notPublic);
  });
}

test('what is no host in the list of private ones is none, and lets nobody through', async (t) => {
  const privateHosts = ['[::1]:9', 'fe80::1%lo', '::1]:9', '[[::1]]', '', '::'];
  const outbound = createGuardedPost({ privateHosts, clock: systemClock });
  const { signal } = new AbortController();
  const message = { url: 'http://[::1]:9/', headers: {}, body: '', timeoutMs, signal };
  t.like(await outbound.post(message), { reason: notPublic });
});
