import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import test from 'ava';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { createGuardedPost } from '../../../infra/outbound/guarded-post.ts';
import type { OutboundOutcome } from '../../../infra/ports/outbound-post.ts';

const timeoutMs = 300;
/** A hung sender is told from a slow machine by this. */
const patienceMs = 10_000;

interface Receiver {
  /** What it writes once anything came. */
  readonly says: string;
  readonly hangsUp: boolean;
}

async function outcomeOf({ says, hangsUp }: Receiver): Promise<OutboundOutcome | 'hung'> {
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
  const outcome = outbound.post({ url, headers: {}, body: 'news', timeoutMs, signal });
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
      t.deepEqual(await outcomeOf({ says, hangsUp }), { kind: 'answered', status });
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

for (const host of [
  '127.1',
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
      reason: 'the address is not public',
    });
  });
}
