import { randomBytes, randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { createAuthService } from '../../../actors/services/auth/auth.actor.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';

const hash = () => randomBytes(32).toString('hex');

async function start(t: ExecutionContext) {
  const { sql: admin, url } = await testDatabase(t);
  const sql = createSql({ url, applicationName: 'services', role: 'paddock_service', max: 4 });
  t.teardown(() => closeSql(sql));
  const service = createAuthService({ sql, transact: (body) => transaction(sql, {}, body) });
  const command = (id: string = randomUUID()) => ({ id, account: 'system', trace: {} });
  const keep = async (challengeSha256: string, hotkey = 'alice', lifetimeSeconds = 60) => {
    await service['keep-challenge']({ challengeSha256, hotkey, lifetimeSeconds }, command());
  };
  const session = (tokenSha256 = hash()) => ({
    tokenSha256,
    role: 'miner' as const,
    lifetimeSeconds: 7200,
  });
  return { admin, service, command, keep, session };
}

test('a challenge opens one session, for the hotkey that it was issued to', async (t) => {
  const { admin, service, command, keep, session } = await start(t);
  const challengeSha256 = hash();
  await keep(challengeSha256);
  const asked = { challengeSha256, hotkey: 'alice', session: session() };
  const { expiresAtMs } = await service['exchange-challenge'](asked, command());
  t.true((expiresAtMs ?? 0) > Date.now() + 7_000_000);
  await t.throwsAsync(
    () => service['exchange-challenge']({ ...asked, session: session() }, command()),
    { message: /used/ },
  );
  const rows = await admin`select hotkey, role, token_sha256 from session`;
  t.deepEqual(
    [...rows],
    [{ hotkey: 'alice', role: 'miner', token_sha256: asked.session.tokenSha256 }],
  );
});

test('an attempt whose answer got lost is answered again as the first time', async (t) => {
  const { service, command, keep, session } = await start(t);
  const challengeSha256 = hash();
  await keep(challengeSha256);
  const asked = { challengeSha256, hotkey: 'alice', session: session() };
  const attempt = command();
  const first = await service['exchange-challenge'](asked, attempt);
  t.deepEqual(await service['exchange-challenge'](asked, attempt), first);
});

test('an attempt that is read once more opens no session again that was ended since', async (t) => {
  const { admin, service, command, keep, session } = await start(t);
  for (const end of ['logout', 'ban']) {
    const challengeSha256 = hash();
    await keep(challengeSha256);
    const asked = { challengeSha256, hotkey: 'alice', session: session() };
    const attempt = command();
    await service['exchange-challenge'](asked, attempt);
    const { tokenSha256 } = asked.session;
    if (end === 'logout') await service['end-session']({ tokenSha256 }, command());
    // As with a ban that was lifted since.
    else await admin`delete from session where hotkey = 'alice'`;
    await t.throwsAsync(() => service['exchange-challenge'](asked, attempt), { message: /used/ });
    t.is((await admin`select 1 from session`).length, 0);
  }
});

test('the first attempt consumes a challenge even when it fails', async (t) => {
  const { admin, service, command, keep, session } = await start(t);
  for (const hotkey of ['alice', 'mallory']) {
    const challengeSha256 = hash();
    await keep(challengeSha256);
    const failing = service['exchange-challenge'](
      { challengeSha256, hotkey, session: hotkey === 'alice' ? null : session() },
      command(),
    );
    if (hotkey === 'alice') t.deepEqual(await failing, { expiresAtMs: null });
    else await t.throwsAsync(failing);
    await t.throwsAsync(() =>
      service['exchange-challenge'](
        { challengeSha256, hotkey: 'alice', session: session() },
        command(),
      ),
    );
  }
  t.is((await admin`select 1 from session`).length, 0);
});

test('an old challenge and a banned hotkey open nothing', async (t) => {
  const { admin, service, command, keep, session } = await start(t);
  const old = hash();
  await keep(old);
  await admin`update challenge set expires_at = rt.clock() - interval '1 second'`;
  await t.throwsAsync(
    () =>
      service['exchange-challenge'](
        { challengeSha256: old, hotkey: 'alice', session: session() },
        command(),
      ),
    { message: /over/ },
  );
  const fresh = hash();
  await keep(fresh);
  await admin`insert into hotkey_ban (hotkey, reason, banned_at) values ('alice', 'test', rt.clock())`;
  await t.throwsAsync(
    () =>
      service['exchange-challenge'](
        { challengeSha256: fresh, hotkey: 'alice', session: session() },
        command(),
      ),
    { message: /banned/ },
  );
});

test('of many attempts at once on one challenge exactly one opens a session', async (t) => {
  const { admin, service, command, keep, session } = await start(t);
  const challengeSha256 = hash();
  await keep(challengeSha256);
  const attempts = await Promise.allSettled(
    Array.from({ length: 12 }, () =>
      service['exchange-challenge'](
        { challengeSha256, hotkey: 'alice', session: session() },
        command(),
      ),
    ),
  );
  t.is(attempts.filter(({ status }) => status === 'fulfilled').length, 1);
  t.is((await admin`select 1 from session`).length, 1);
});

test('a nonce is taken once, whatever batch it comes in', async (t) => {
  const { service, command } = await start(t);
  const use = { hotkey: 'alice', nonce: randomUUID() };
  const other = { hotkey: 'bob', nonce: use.nonce };
  const batches = await Promise.all(
    Array.from({ length: 8 }, () => service['record-nonces']({ nonces: [use] }, command())),
  );
  t.is(batches.filter(({ fresh }) => fresh[0] === true).length, 1);
  const first = command();
  t.deepEqual(await service['record-nonces']({ nonces: [use, other] }, first), {
    fresh: [false, true],
  });
  t.deepEqual(await service['record-nonces']({ nonces: [use, other] }, first), {
    fresh: [false, true],
  });
  t.deepEqual(await service['record-nonces']({ nonces: [use, other] }, command()), {
    fresh: [false, false],
  });
});

test('a nonce that was used before costs no write', async (t) => {
  const { admin, service, command } = await start(t);
  const nonces = [{ hotkey: 'alice', nonce: randomUUID() }];
  t.deepEqual(await service['record-nonces']({ nonces }, command()), { fresh: [true] });
  for (let again = 0; again < 10; again += 1) {
    t.deepEqual(await service['record-nonces']({ nonces }, command()), { fresh: [false] });
  }
  const [row] = await admin<{ locker: string }[]>`select xmax::text as locker from nonce`;
  t.is(row?.locker, '0', 'its row was never locked');
});

test('a logout may be repeated', async (t) => {
  const { admin, service, command, keep, session } = await start(t);
  const challengeSha256 = hash();
  await keep(challengeSha256);
  const asked = { challengeSha256, hotkey: 'alice', session: session() };
  await service['exchange-challenge'](asked, command());
  for (const _attempt of [1, 2]) {
    await service['end-session']({ tokenSha256: asked.session.tokenSha256 }, command());
    t.is((await admin`select 1 from session`).length, 0);
  }
});
