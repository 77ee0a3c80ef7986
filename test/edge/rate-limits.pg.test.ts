import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { connectNats } from '../../infra/nats/connect.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import { caller } from '../support/edge-client.ts';
import { refusal } from '../support/framework.ts';
import { hurriedRoutes } from '../support/hurried-routes.ts';

const limit = 20;
const suites = '/v1/public/suites';
let service: TestService;
test.before(async () => {
  service = await startTestService({
    edges: 2,
    env: {
      PUBLIC_RATE_PER_MINUTE: String(limit),
      HOTKEY_RATE_PER_MINUTE: '10',
      CHALLENGE_RATE_PER_MINUTE: '4',
      SESSION_RATE_PER_MINUTE: '3',
      TRUSTED_PROXIES: '127.0.0.1',
    },
  });
});
test.after.always(() => service?.stop());

async function isTurnedAway(t: ExecutionContext, answer: Response): Promise<void> {
  t.is(answer.status, 429);
  t.is((await refusal(answer)).error_code, 'RATE_LIMITED');
  t.regex(answer.headers.get('retry-after') ?? '', /^([1-9]|[1-5][0-9]|60)$/);
}

/** Requests from one address, each next one to the next edge. */
function client(address: string) {
  const calls = service.baseUrls.map(caller);
  let turn = 0;
  return async (method = 'GET', path = suites, body?: unknown, headers = {}) => {
    const call = calls[turn++ % calls.length] ?? service.call;
    return await call(method, path, { body, headers: { 'x-forwarded-for': address, ...headers } });
  };
}

async function statuses(answers: readonly Promise<Response>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(answers)) {
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

test.serial(
  'R1: an address has so many requests a minute without credentials, over all edges',
  async (t) => {
    const call = client('192.0.2.1');
    for (let count = 0; count < limit - 4; count++) t.is((await call()).status, 200);
    t.is((await call('POST', '/v1/validator/work/claim')).status, 401);
    t.is((await call('POST', '/v1/auth/challenge', {})).status, 422);
    t.is((await call('GET', '/nowhere')).status, 404);
    t.is((await call('DELETE', suites)).status, 405);
    await isTurnedAway(t, await call());
    await isTurnedAway(t, await call());
    t.is((await call('HEAD')).status, 429);
    await isTurnedAway(t, await call('POST', '/v1/auth/challenge', {}));
    await isTurnedAway(t, await call('POST', '/v1/validator/work/claim'));
    await isTurnedAway(t, await call('GET', '/nowhere'));
    for (const path of ['/health', '/health/deep']) {
      t.is((await call('GET', path)).status, 200, 'who keeps us alive is answered');
    }
    const operator = { authorization: `Bearer ${service.operatorToken}` };
    t.is((await call('GET', '/v1/admin/overview', undefined, operator)).status, 200);
    t.is((await client('192.0.2.2')()).status, 200, 'another address');
  },
);

test.serial('what has no route, no method or no readable path counts like all else', async (t) => {
  const asked = [
    ['GET', '/nowhere', 404],
    ['OPTIONS', suites, 405],
    ['GET', '/v1/public/suites/%ff/problems', 422],
  ] as const;
  for (const [at, [method, path, status]] of asked.entries()) {
    const call = client(`192.0.2.${100 + at}`);
    const answers = Array.from({ length: limit + 3 }, () => call(method, path));
    t.deepEqual(await statuses(answers), { [status]: limit, 429: 3 }, `${method} ${path}`);
  }
});

test.serial('what has no route counts by address whatever its headers say', async (t) => {
  const [bearing, naming] = [client('192.0.2.111'), client('192.0.2.112')];
  const authorization = () => bearing('GET', '/nope', undefined, { authorization: 'Bearer x' });
  const hotkey = () => naming('OPTIONS', suites, undefined, { 'x-hotkey': 'nobody' });
  for (let count = 0; count < limit; count++) {
    t.is((await authorization()).status, 404);
    t.is((await hotkey()).status, 405);
  }
  await isTurnedAway(t, await authorization());
  await isTurnedAway(t, await hotkey());
});

for (const address of ['192.0.2.11', '192.0.2.12', '192.0.2.13', '2001:db8:5::1']) {
  test.serial(`exactly as many pass when two edges are asked at once: ${address}`, async (t) => {
    const call = client(address);
    const answers = Array.from({ length: limit * 2 }, () => call());
    t.deepEqual(await statuses(answers), { 200: limit, 429: limit });
  });
}

test.serial('all of a /64 is one, and an IPv4 inside IPv6 is the IPv4', async (t) => {
  const addresses = ['2001:db8:7:1::1', '[2001:db8:7:1:ffff::2]:443', '2001:DB8:7:1:0:0:0:3'];
  const calls = addresses.map(client);
  const answers = Array.from({ length: limit + 6 }, (_, at) => calls[at % 3]?.() ?? client('')());
  t.is((await statuses(answers))[429], 6);
  t.is((await client('2001:db8:7:2::1')()).status, 200);
  const [one, same] = [client('192.0.2.21'), client('::ffff:192.0.2.21')];
  const both = Array.from({ length: limit + 4 }, (_, at) => (at % 2 === 0 ? one() : same()));
  t.is((await statuses(both))[429], 4);
});

test.serial(
  'B6: so many challenges and attempts at a session a minute of an address',
  async (t) => {
    const { hotkey } = service.stranger('rate-stranger');
    const call = client('192.0.2.31');
    const challenge = () => call('POST', '/v1/auth/challenge', { hotkey });
    const session = () =>
      call('POST', '/v1/auth/session', {
        hotkey,
        challenge: 'x',
        signature: `0x${'0'.repeat(128)}`,
      });
    t.is((await statuses(Array.from({ length: 6 }, challenge)))[200], 4);
    t.is((await statuses(Array.from({ length: 5 }, session)))[401], 3);
    await isTurnedAway(t, await challenge());
    await isTurnedAway(t, await session());
    t.is((await call()).status, 200);
  },
);

test.serial('what is no challenge and no attempt at a session counts as one', async (t) => {
  const { hotkey } = service.stranger('rate-stranger');
  const call = client('192.0.2.32');
  const challenge = (body: unknown) => call('POST', '/v1/auth/challenge', body);
  const session = (body: unknown) => call('POST', '/v1/auth/session', body);
  t.is((await challenge({ hotkey })).status, 200);
  t.is((await session({ hotkey, challenge: 'x', signature: 'x' })).status, 401);

  for (const body of [{}, { hotkey: 'nobody' }, []]) t.is((await challenge(body)).status, 422);
  for (const body of [{}, { hotkey, challenge: 1 }]) t.is((await session(body)).status, 422);

  for (const body of [{}, { hotkey }]) await isTurnedAway(t, await challenge(body));
  for (const body of [{}, { hotkey, challenge: 'x', signature: 'x' }])
    await isTurnedAway(t, await session(body));
  t.is((await call()).status, 200, 'all else has a limit of its own');
});

test.serial('a key has its own limit, on every route and edge and by both schemes', async (t) => {
  const [one, other] = [await service.miner('rate-1'), await service.miner('rate-2')];
  const agents = '/v1/miner/agents';
  const call = client('192.0.2.41');
  const signed = () => call('GET', agents, undefined, one.headers());
  t.is((await statuses(Array.from({ length: 14 }, signed)))[200], 10);
  await isTurnedAway(t, await signed());
  await isTurnedAway(t, await call('POST', '/v1/miner/submit', undefined, one.headers()));
  t.is((await call('GET', agents, undefined, other.headers())).status, 200);
});

test.serial(
  'a key of the wrong role has no more than its limit, on routes of any class',
  async (t) => {
    const miner = await service.miner('rate-5');
    const call = client('192.0.2.42');
    const beat = () =>
      call(
        'POST',
        `/v1/validator/evaluation-runs/${randomUUID()}/heartbeat`,
        null,
        miner.headers(),
      );
    for (let count = 0; count < 10; count++) {
      t.is((await refusal(await beat())).error_code, 'WRONG_ROLE');
    }
    for (let count = 0; count < 10; count++) await isTurnedAway(t, await beat());
    const nonces = await service.sql`select from nonce where hotkey = ${miner.hotkey}`;
    t.true(nonces.length <= 11, 'the edge that does not count learns of it by one more');
    await isTurnedAway(t, await call('GET', '/v1/miner/agents', undefined, miner.headers()));
  },
);

test.serial(
  'who forges the signature of another uses up nothing of the limit of that',
  async (t) => {
    const miner = await service.miner('rate-6');
    const call = client('192.0.2.43');
    const agents = (headers: object) =>
      call('GET', '/v1/miner/agents', undefined, { ...miner.headers(), ...headers });
    t.is((await agents({})).status, 200);
    const forged = Array.from({ length: 14 }, () => agents({ 'x-signature': '0'.repeat(128) }));
    t.is((await statuses(forged))[401], 14);
    t.is((await statuses(Array.from({ length: 12 }, () => agents({}))))[200], 9);
  },
);

test.serial(
  'false credentials count by address, and spoil nothing for true ones behind it',
  async (t) => {
    const miner = await service.miner('rate-3');
    const agents = '/v1/miner/agents';
    const call = client('192.0.2.51');
    const forged = () =>
      call('GET', agents, undefined, { authorization: `Bearer ses_${'0'.repeat(64)}` });
    t.is((await statuses(Array.from({ length: limit + 5 }, forged)))[401], limit);
    await isTurnedAway(t, await forged());
    await isTurnedAway(
      t,
      await call('GET', agents, undefined, { ...miner.headers(), 'x-signature': 'x' }),
    );
    t.is((await call('GET', agents, undefined, miner.headers())).status, 200);
    t.is((await call()).status, 200, 'reads have a count of their own');
  },
);

for (const [at, [method, path]] of hurriedRoutes.entries()) {
  test.serial(`never counted by address: ${method} ${path}`, async (t) => {
    const target = path.replace('{eval_run_id}', randomUUID());
    const body = method === 'GET' ? undefined : {};
    const call = client(`192.0.2.${61 + at}`);
    for (let count = 0; count < limit + 3; count++) {
      t.is((await call(method, target, body)).status, 401);
      t.is((await call(method, target, body, { authorization: 'Bearer nothing' })).status, 401);
    }
    t.is((await call()).status, 200);
  });
}

test.serial('an edge that died or stands still costs no request', async (t) => {
  const ghosts = await connectNats({ url: service.natsUrl, name: 'ghosts' });
  t.teardown(() => ghosts.close());
  // The one takes questions and answers none; the other is not there.
  ghosts.subscribe('sys.rate.frozen');
  const hello = (name: string) =>
    ghosts.publish('sys.edge', JSON.stringify({ name, isLeaving: false }));
  for (let round = 0; round < 3; round++) {
    hello('frozen');
    hello('dead');
    await ghosts.flush();
    const calls = Array.from({ length: 30 }, (_, at) => client(`198.51.100.${round * 30 + at}`)());
    t.deepEqual(await statuses(calls), { 200: 30 });
  }
});

test.serial('with the goodbye of an edge its keys go to the others', async (t) => {
  const [, leaving] = service.edges;
  await leaving?.[Symbol.asyncDispose]();
  const staying = caller(service.baseUrl);
  for (const address of ['203.0.113.1', '203.0.113.2', '203.0.113.3', '203.0.113.4']) {
    const headers = { 'x-forwarded-for': address };
    const answers = Array.from({ length: limit + 5 }, () => staying('GET', suites, { headers }));
    t.is((await statuses(answers))[200], limit);
  }
});
