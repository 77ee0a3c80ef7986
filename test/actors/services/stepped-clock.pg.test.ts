import { randomBytes, randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { createAuthService, outdatedIdentity } from '../../../actors/services/auth/auth.actor.ts';
import { takeTurn } from '../../../actors/services/inference/store.ts';
import {
  insertWebhook,
  leaseDue,
  recordFailure,
  release,
} from '../../../actors/services/webhooks/store.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { plantEvents } from '../../support/planted-events.ts';
import { stepClock } from '../../support/step-clock.ts';

// What a database's clock that was ahead must not do: make a used nonce good, or keep anything waiting.

const hourS = 3600;

async function open(t: ExecutionContext) {
  const { sql: admin, url } = await testDatabase(t);
  const sql = createSql({ url, applicationName: 'services', role: 'paddock_service', max: 4 });
  t.teardown(() => closeSql(sql));
  return { admin, sql };
}

async function nonceDesk(t: ExecutionContext) {
  const { admin, sql } = await open(t);
  const service = createAuthService({ sql, transact: (body) => transaction(sql, {}, body) });
  const clock = new ManualClock();
  const { nonces: sweep } = outdatedIdentity(sql, { keepNonceSeconds: 180, clock });
  const use = async (nonce: string) => {
    const command = { id: randomUUID(), account: 'system', trace: {} };
    const { fresh } = await service['record-nonces'](
      { nonces: [{ hotkey: 'alice', nonce }] },
      command,
    );
    return fresh[0];
  };
  return { admin, clock, sweep, use };
}

test('a nonce is kept as long as ever, however far the clock of the database steps', async (t) => {
  const { admin, clock, sweep, use } = await nonceDesk(t);
  const nonce = randomUUID();
  t.is(await sweep(100), 0);
  await clock.advance(170_000);
  t.is(await sweep(100), 0);
  t.true(await use(nonce));
  await stepClock(admin, hourS);
  await clock.advance(10_000);
  t.is(await sweep(100), 0);
  t.false(await use(nonce));
  await clock.advance(169_000);
  t.is(await sweep(100), 0);
  t.false(await use(nonce));
  // Where every clock agrees that nothing can come with it any more, it goes.
  await clock.advance(11_000);
  t.is(await sweep(100), 1);
});

test('a clock that was ahead and is right again makes no later nonce old', async (t) => {
  const { admin, clock, sweep, use } = await nonceDesk(t);
  await stepClock(admin, hourS);
  await sweep(100);
  await clock.advance(60_000);
  await stepClock(admin, 0);
  t.is(await sweep(100), 0);
  await clock.advance(110_000);
  const nonce = randomUUID();
  t.true(await use(nonce));
  await clock.advance(70_000);
  t.is(await sweep(100), 0);
  await stepClock(admin, hourS);
  t.is(await sweep(100), 0);
  t.false(await use(nonce));
});

test('who watches since less than a nonce is kept deletes none', async (t) => {
  const { admin, clock, sweep, use } = await nonceDesk(t);
  await use(randomUUID());
  await admin`update nonce set accepted_at = accepted_at - interval '1 day'`;
  t.is(await sweep(100), 0);
  await clock.advance(179_000);
  t.is(await sweep(100), 0);
  await clock.advance(1_000);
  t.is(await sweep(100), 1);
});

async function webhookDesk(t: ExecutionContext) {
  const { admin, sql } = await open(t);
  const webhook = {
    ...{ webhookId: randomUUID(), url: 'http://receiver.invalid/', eventTypes: null },
    sealedSecret: randomBytes(8).toString('hex'),
  };
  await transaction(sql, {}, (tx) => insertWebhook(tx, webhook));
  await plantEvents(admin, 3);
  const lease = async () => {
    return await leaseDue(sql, { limit: 5, leaseMs: 30_000, retryMaxSeconds: hourS });
  };
  return { admin, sql, lease };
}

test('a webhook whose next attempt a wrong clock put far ahead is told at once', async (t) => {
  const { admin, sql, lease } = await webhookDesk(t);
  await stepClock(admin, 2 * hourS);
  const [held] = await lease();
  if (held === undefined) return t.fail('nothing was due');
  await release(sql, held);
  await stepClock(admin, 0);
  t.is((await lease()).length, 1);
});

test('so is one whose sender died with a lease that a wrong clock gave', async (t) => {
  const { admin, lease } = await webhookDesk(t);
  await stepClock(admin, 2 * hourS);
  t.is((await lease()).length, 1);
  t.is((await lease()).length, 0);
  await stepClock(admin, 0);
  t.is((await lease()).length, 1);
});

test('a receiver that is away is not asked before its pause is over', async (t) => {
  const { admin, sql, lease } = await webhookDesk(t);
  const [held] = await lease();
  if (held === undefined) return t.fail('nothing was due');
  await admin`update webhook set failure_count = 20`;
  const failure = { cursor: held.cursor, status: null, error: 'away', retryMaxSeconds: hourS };
  await recordFailure(sql, held, failure);
  t.is((await lease()).length, 0);
});

test('a provider is looked at again after a look by a wrong clock', async (t) => {
  const { admin, sql } = await open(t);
  await stepClock(admin, hourS);
  t.true(await takeTurn(sql, 'providera', 1_000));
  await stepClock(admin, 0);
  t.true(await takeTurn(sql, 'providera', 1_000));
  t.false(await takeTurn(sql, 'providera', 1_000));
});
