import { randomUUID } from 'node:crypto';
import test from 'ava';
import { startTestService, type TestService } from '../support/edge.ts';
import { caller, TestKey } from '../support/edge-client.ts';
import { refusal } from '../support/framework.ts';

let service: TestService;
test.before(async () => {
  service = await startTestService({ edges: 2 });
});
test.after.always(() => service?.stop());

/** Cheap routes that only a miner, only a validator may call. */
const minerRoute = '/v1/miner/agents';
const validatorRoute = `/v1/validator/evaluation-runs/${randomUUID()}/problems`;

async function code(answer: Response): Promise<string> {
  return `${answer.status} ${(await refusal(answer)).error_code}`;
}

test('A1: signed headers let a miner and a validator in, on any edge', async (t) => {
  const miner = await service.miner('a1-miner');
  t.is((await miner.get(minerRoute)).status, 200);
  const other = caller(service.baseUrls[1] ?? '');
  t.is((await other('GET', minerRoute, { headers: miner.headers() })).status, 200);
  const validator = await service.validator('a1-validator');
  t.is(await code(await validator.get(validatorRoute)), '404 EVAL_RUN_NOT_FOUND');
});

test('A2: a missing or empty header is no credential', async (t) => {
  const miner = await service.miner('a2');
  for (const name of ['x-hotkey', 'x-timestamp', 'x-nonce', 'x-signature'] as const) {
    const { [name]: _dropped, ...rest } = miner.headers();
    t.is(
      await code(await service.call('GET', minerRoute, { headers: rest })),
      '401 MISSING_CREDENTIALS',
    );
    const emptied = { ...miner.headers(), [name]: '' };
    t.is(
      await code(await service.call('GET', minerRoute, { headers: emptied })),
      '401 MISSING_CREDENTIALS',
    );
  }
  t.is(await code(await service.call('GET', minerRoute)), '401 MISSING_CREDENTIALS');
});

test('A3: a timestamp counts within the skew, in both directions', async (t) => {
  const miner = await service.miner('a3');
  for (const [offsetSeconds, status] of [
    [-62, 401],
    [62, 401],
    [-58, 200],
    [58, 200],
  ] as const) {
    const headers = miner.headers({ offsetSeconds });
    t.is(
      (await service.call('GET', minerRoute, { headers })).status,
      status,
      String(offsetSeconds),
    );
  }
});

test('A4: a nonce is used once, over all edges, in any case and at any time', async (t) => {
  const miner = await service.miner('a4');
  const headers = miner.headers();
  t.is((await service.call('GET', minerRoute, { headers })).status, 200);
  t.is(await code(await service.call('GET', minerRoute, { headers })), '401 NONCE_REUSED');
  const other = caller(service.baseUrls[1] ?? '');
  t.is(await code(await other('GET', minerRoute, { headers })), '401 NONCE_REUSED');
  const upper = miner.headers({ nonce: headers['x-nonce'].toUpperCase() });
  t.is(await code(await other('GET', minerRoute, { headers: upper })), '401 NONCE_REUSED');
  const fresh = miner.headers();
  const racing = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      caller(service.baseUrls[index % 2] ?? '')('GET', minerRoute, { headers: fresh }),
    ),
  );
  t.is(racing.filter(({ status }) => status === 200).length, 1);
  t.is(racing.filter(({ status }) => status === 401).length, 19);
});

test('a forged request burns no nonce', async (t) => {
  const miner = await service.miner('forged');
  const headers = miner.headers();
  const mallory = service.stranger('mallory');
  const text = `${miner.hotkey}:${headers['x-timestamp']}:${headers['x-nonce']}`;
  const forged = { ...headers, 'x-signature': mallory.sign(text) };
  t.is(
    await code(await service.call('GET', minerRoute, { headers: forged })),
    '401 INVALID_SIGNATURE',
  );
  t.is((await service.call('GET', minerRoute, { headers })).status, 200);
});

test('each header has one accepted form', async (t) => {
  const miner = await service.miner('forms');
  const bad = {
    'x-hotkey': ['5FHneW', `${miner.hotkey}1`, `0x${'ab'.repeat(32)}`, miner.hotkey.toLowerCase()],
    'x-timestamp': ['1.5', '-5', '+1700000000', '1e9', '017', 'now', '1700000000000'],
    'x-nonce': [
      '1',
      randomUUID().replaceAll('-', ''),
      `{${randomUUID()}}`,
      '00000000-0000-1000-8000-000000000000',
    ],
    'x-signature': [
      '0x',
      'ab'.repeat(64),
      `0x${'ab'.repeat(63)}`,
      `0x${'zz'.repeat(64)}`,
      `0X${'ab'.repeat(64)}`,
    ],
  };
  for (const [name, values] of Object.entries(bad)) {
    for (const value of values) {
      const headers = { ...miner.headers(), [name]: value };
      const answer = await service.call('GET', minerRoute, { headers });
      t.is(answer.status, 401, `${name}: ${value}`);
    }
  }
  const headers = miner.headers();
  const upper = `0x${headers['x-signature'].slice(2).toUpperCase()}`;
  const answer = await service.call('GET', minerRoute, {
    headers: { ...headers, 'x-signature': upper },
  });
  t.is(answer.status, 200, 'the case of the digits is free');
});

test('a wallet’s wrapping counts for the challenge only', async (t) => {
  const miner = await service.miner('wrapped');
  const headers = miner.headers();
  const text = `${miner.hotkey}:${headers['x-timestamp']}:${headers['x-nonce']}`;
  const wrapped = { ...headers, 'x-signature': miner.sign(`<Bytes>${text}</Bytes>`) };
  t.is(
    await code(await service.call('GET', minerRoute, { headers: wrapped })),
    '401 INVALID_SIGNATURE',
  );
  const challenge = await miner.challenge();
  const opened = await miner.exchange(challenge, miner.sign(`<Bytes>${challenge}</Bytes>`));
  t.is(opened.status, 200);
});

test('A25: an unregistered hotkey is told so, once it proved itself', async (t) => {
  const stranger = service.stranger('a25');
  t.is(await code(await stranger.get(minerRoute)), '401 NOT_REGISTERED');
  const challenge = await stranger.challenge();
  t.is(await code(await stranger.exchange(challenge)), '401 NOT_REGISTERED');
});

test('A26: a ban ends a session and shuts out the key within a second', async (t) => {
  const miner = await service.miner('a26');
  const token = await miner.openSession();
  const bearer = { authorization: `Bearer ${token}` };
  t.is((await service.call('GET', minerRoute, { headers: bearer })).status, 200);
  const path = `/v1/admin/hotkeys/${miner.hotkey}/ban`;
  t.is((await service.operator('PUT', path, { body: { reason: 'cheats' } })).status, 200);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  t.is((await service.call('GET', minerRoute, { headers: bearer })).status, 401);
  const banned = await miner.get(minerRoute);
  t.is(banned.status, 403);
  t.regex(await banned.clone().text(), /banned/);
  t.is(await code(banned), '403 BANNED');
  t.is(await code(await miner.exchange(await miner.challenge())), '403 BANNED');
  const forged = { ...miner.headers(), 'x-signature': `0x${'a8'.repeat(64)}` };
  const told = await service.call('GET', minerRoute, { headers: forged });
  t.is(await code(told), '401 INVALID_SIGNATURE', 'a ban is told to the key’s holder only');
  t.is((await service.operator('DELETE', path)).status, 200);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  t.is((await miner.get(minerRoute)).status, 200);
  t.is((await service.call('GET', minerRoute, { headers: bearer })).status, 401);
});

test('A27: roles are separate, by both schemes', async (t) => {
  const miner = await service.miner('a27-miner');
  const validator = await service.validator('a27-validator');
  const minerBearer = { authorization: `Bearer ${await miner.openSession()}` };
  const validatorBearer = { authorization: `Bearer ${await validator.openSession()}` };
  const wrong = '401 WRONG_ROLE';
  t.is(await code(await miner.get(validatorRoute)), wrong);
  t.is(await code(await validator.get(minerRoute)), wrong);
  t.is(await code(await service.call('GET', validatorRoute, { headers: minerBearer })), wrong);
  t.is(await code(await service.call('GET', minerRoute, { headers: validatorBearer })), wrong);
  for (const path of ['/v1/admin/overview', '/v1/admin/partitions', '/v1/admin/audit-log']) {
    t.is((await service.call('GET', path, { headers: minerBearer })).status, 401);
    t.is((await validator.get(path)).status, 401);
    t.is((await service.call('GET', path)).status, 401);
  }
  const operatorOnMiner = await service.operator('GET', minerRoute);
  t.is(await code(operatorOnMiner), '401 INVALID_SESSION');
});

test('an Authorization header decides alone', async (t) => {
  const miner = await service.miner('alone');
  for (const authorization of [
    '',
    'Bearer',
    'Bearer x',
    'Basic eDp5',
    `Bearer ses_${'0'.repeat(64)}`,
  ]) {
    const headers = { ...miner.headers(), authorization };
    t.is(await code(await service.call('GET', minerRoute, { headers })), '401 INVALID_SESSION');
  }
});

test('B1: a signed challenge becomes a session with the role of the chain', async (t) => {
  const validator = await service.validator('b1');
  const challenge = await validator.challenge();
  t.regex(challenge, /^paddock-auth:\d{10}:[0-9a-f]{32}$/);
  const answer = await validator.exchange(challenge);
  const session = (await answer.json()) as Record<string, unknown>;
  t.regex(String(session['session_token']), /^ses_[0-9a-f]{64}$/);
  t.is(session['role'], 'validator');
  t.true(Math.abs(Number(session['expires_at']) - (Date.now() / 1000 + 7200)) < 5);
  t.is(answer.headers.get('cache-control'), 'no-store');
  const stored = await service.sql`
    select 1 from session where token_sha256 = ${String(session['session_token'])}`;
  t.is(stored.length, 0, 'only the hash is stored');
  t.is(await code(await validator.exchange(challenge)), '401 INVALID_CHALLENGE');
});

test('B2: a challenge is over after its time', async (t) => {
  const miner = await service.miner('b2');
  const challenge = await miner.challenge();
  await service.sql`update challenge set expires_at = rt.clock() where hotkey = ${miner.hotkey}`;
  t.is(await code(await miner.exchange(challenge)), '401 INVALID_CHALLENGE');
});

test('an Idempotency-Key gives no challenge back', async (t) => {
  const miner = await service.miner('keyed challenge');
  const challenge = await miner.challenge();
  const headers = { 'idempotency-key': 'again' };
  const exchange = (signature: string) =>
    service.call('POST', '/v1/auth/session', {
      body: { hotkey: miner.hotkey, challenge, signature },
      headers,
    });

  t.is(await code(await exchange(miner.sign('something else'))), '401 INVALID_SIGNATURE');
  t.is(await code(await exchange(miner.sign(challenge))), '401 INVALID_CHALLENGE');
});

test('a failed attempt consumes the challenge, and another’s challenge is worth nothing', async (t) => {
  const miner = await service.miner('consumes');
  const challenge = await miner.challenge();
  t.is(
    await code(await miner.exchange(challenge, `0x${'00'.repeat(64)}`)),
    '401 INVALID_SIGNATURE',
  );
  t.is(await code(await miner.exchange(challenge)), '401 INVALID_CHALLENGE');
  const other = await service.miner('consumes-other');
  t.is(await code(await miner.exchange(await other.challenge())), '401 INVALID_CHALLENGE');
  t.is(await code(await miner.exchange('paddock-auth:1:x')), '401 INVALID_CHALLENGE');
});

test('B7: a body of the wrong shape is 422, extra fields are dropped', async (t) => {
  const miner = await service.miner('b7');
  for (const body of [{}, { hotkey: 7 }, { hotkey: 'x' }, [], { hotkey: `${miner.hotkey} ` }]) {
    t.is((await service.call('POST', '/v1/auth/challenge', { body })).status, 422);
  }
  const extra = { hotkey: miner.hotkey, role: 'validator', signature: 'never-shown' };
  t.is((await service.call('POST', '/v1/auth/challenge', { body: extra })).status, 200);
  const wrong = await service.call('POST', '/v1/auth/session', {
    body: { hotkey: miner.hotkey, challenge: 1, signature: 12345 },
  });
  t.is(wrong.status, 422);
  t.false((await wrong.text()).includes('12345'));
});

test('a logout ends the session on every edge', async (t) => {
  const miner = await service.miner('logout');
  const bearer = { authorization: `Bearer ${await miner.openSession()}` };
  t.is((await service.call('GET', minerRoute, { headers: bearer })).status, 200);
  const answer = await service.call('POST', '/v1/auth/logout', { headers: bearer });
  t.deepEqual(await answer.json(), { success: true });
  t.is((await service.call('GET', minerRoute, { headers: bearer })).status, 401);
  await new Promise((resolve) => setTimeout(resolve, 600));
  const other = caller(service.baseUrls[1] ?? '');
  t.is((await other('GET', minerRoute, { headers: bearer })).status, 401);
  t.is((await miner.post('/v1/auth/logout')).status, 401);
});

test('while the chain is away, who was seen is served and who was not waits', async (t) => {
  const apart = await startTestService({ env: { CHAIN_CACHE_SECONDS: '1' } });
  try {
    const miner = await apart.miner('seen');
    t.is((await miner.get(minerRoute)).status, 200);
    await apart.chain.stop();
    await new Promise((resolve) => setTimeout(resolve, 1100));
    t.is((await miner.get(minerRoute)).status, 200);
    const unseen = await new TestKey('unseen', apart.call).get(minerRoute);
    t.is(await code(unseen), '503 CHAIN_UNAVAILABLE');
    t.truthy(unseen.headers.get('retry-after'));
  } finally {
    await apart.stop();
  }
});
