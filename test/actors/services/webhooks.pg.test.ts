import { randomBytes, randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { secretContext } from '../../../actors/services/webhooks/signature.ts';
import { insertWebhook, rewindWebhook } from '../../../actors/services/webhooks/store.ts';
import { createWebhooks } from '../../../actors/services/webhooks/webhooks.actor.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { createCredentialSeal } from '../../../infra/crypto/credential-seal.ts';
import { createGuardedPost } from '../../../infra/outbound/guarded-post.ts';
import type { OutboundPost } from '../../../infra/ports/outbound-post.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';
import { plantEvents } from '../../support/planted-events.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';
import { until } from '../../support/until.ts';
import { isSigned, type Receiver, silent, startReceiver } from '../../support/webhook-receiver.ts';

// Several coordinators that share the work, some of which die with it.

const seal = createCredentialSeal([{ id: 'test', key: randomBytes(32) }]);
const guarded = createGuardedPost({ privateHosts: ['127.0.0.1'], clock: systemClock });
/** On a slow machine neither a delivery nor a lease may end on its own, and be sent twice. */
const terms = { timeoutMs: 60_000, leaseMs: 120_000, retryMaxSeconds: 3600 };
/** What hundreds of deliveries may take while other tests have the machine. */
const patienceMs = 180_000;

async function openDesk(t: ExecutionContext) {
  const { url, sql: admin } = await testDatabase(t);
  const open = () =>
    createSql({ url, applicationName: 'webhooks', role: 'paddock_service', max: 4 });
  const sql = open();
  t.teardown(() => closeSql(sql));
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const register = async (receiver: Receiver, webhookId: string = randomUUID()) => {
    const sealedSecret = seal.seal(secret, secretContext(webhookId));
    const webhook = { webhookId, url: receiver.url, eventTypes: null, sealedSecret };
    return await transaction(sql, {}, (tx) => insertWebhook(tx, webhook));
  };
  const coordinate = async (outbound: OutboundPost = guarded, database: Sql = sql) => {
    const service = createWebhooks({
      ...{ sql: database, seal, outbound, clock: systemClock, log: silentLogger },
      signals: { onSignal: () => ({ close: async () => undefined }) },
      terms,
    });
    await service.start();
    // Stopped twice where all goes well; a test that failed would else leave it running for ever.
    t.teardown(() => service.stop());
    return service;
  };
  return { admin, open, secret, register, coordinate };
}

const cursors = ({ deliveries }: Receiver) => deliveries.map(({ event }) => event.cursor);

test('however many coordinators there are, a webhook gets one delivery at a time, in order', async (t) => {
  const desk = await openDesk(t);
  const receivers = [];
  for (let count = 0; count < 4; count++) {
    const receiver = await startReceiver(async () => {
      await systemClock.sleep(3);
      return 200;
    });
    t.teardown(receiver.stop);
    await desk.register(receiver);
    receivers.push(receiver);
  }
  const services = await Promise.all([desk.coordinate(), desk.coordinate(), desk.coordinate()]);
  for (let batch = 0; batch < 5; batch++) {
    await plantEvents(desk.admin, 20);
    await systemClock.sleep(150);
  }
  for (const receiver of receivers) {
    await until(() => receiver.deliveries.length >= 100, patienceMs);
    t.deepEqual(
      cursors(receiver),
      Array.from({ length: 100 }, (_, index) => index + 1),
    );
    t.is(receiver.openMost(), 1);
  }
  await Promise.all(services.map((service) => service.stop()));
});

test('what a coordinator died over is told again by another, and then all the rest', async (t) => {
  const desk = await openDesk(t);
  const receiver = await startReceiver();
  t.teardown(receiver.stop);
  await desk.register(receiver);
  const newest = await plantEvents(desk.admin, 6);
  // Killed between the receiver's answer to the third and the commit of it.
  let sent = 0;
  const doomed = desk.open();
  const dying = await desk.coordinate(
    {
      post: async (message) => {
        const outcome = await guarded.post(message);
        sent += 1;
        if (sent === 3) await closeSql(doomed);
        return outcome;
      },
    },
    doomed,
  );
  await until(() => sent === 3);
  const [held] = await desk.admin<{ leaseUntil: Date; cursor: number }[]>`
    select lease_until as "leaseUntil", cursor::int as cursor from webhook`;
  t.is(held?.cursor, 2);
  t.true((held?.leaseUntil.getTime() ?? 0) > Date.now());

  // Not before the lease of the dead one is over, though all the others are told.
  const other = await startReceiver();
  t.teardown(other.stop);
  const { webhookId: others } = await desk.register(other);
  await desk.admin`update webhook set cursor = 0 where webhook_id = ${others}`;
  const next = await desk.coordinate();
  await until(() => other.deliveries.length === newest, patienceMs);
  t.deepEqual(cursors(receiver), [1, 2, 3]);
  await desk.admin`update webhook set lease_until = rt.wall_clock() where webhook_id <> ${others}`;
  await until(() => receiver.deliveries.at(-1)?.event.cursor === newest, patienceMs);
  t.deepEqual(cursors(receiver), [1, 2, 3, 3, 4, 5, 6]);
  const [third, again] = receiver.deliveries.slice(2, 4);
  t.is(third?.id, again?.id);
  t.true(receiver.deliveries.every((delivery) => isSigned(delivery, desk.secret)));
  await Promise.all([dying.stop(), next.stop()]);
});

test('a coordinator that stops hands over at once what it was sending', async (t) => {
  const desk = await openDesk(t);
  const receiver = await startReceiver((_, index) => (index === 0 ? silent : 200));
  t.teardown(receiver.stop);
  await desk.register(receiver);
  await plantEvents(desk.admin, 2);
  const leaving = await desk.coordinate();
  await until(() => receiver.deliveries.length === 1, patienceMs);
  await leaving.stop();
  const [left] = await desk.admin<{ failures: number; lease: Date | null }[]>`
    select failure_count as failures, lease_until as lease from webhook`;
  t.deepEqual({ ...left }, { failures: 0, lease: null });
  const next = await desk.coordinate();
  await until(() => receiver.deliveries.length === 3, patienceMs);
  t.deepEqual(cursors(receiver), [1, 1, 2]);
  await next.stop();
});

test('receivers that are slow keep no place from those that wait', async (t) => {
  const desk = await openDesk(t);
  const slow = await startReceiver(async () => {
    await systemClock.sleep(100);
    return 200;
  });
  t.teardown(slow.stop);
  // As many as a coordinator tells at once, and all with more to be told than the test has time for.
  for (let count = 0; count < 16; count++) await desk.register(slow);
  const quick = await startReceiver();
  t.teardown(quick.stop);
  await plantEvents(desk.admin, 1_000);
  // Behind all the others, if it went by their ids.
  await desk.register(quick, 'ffffffff-ffff-4fff-bfff-ffffffffffff');
  await plantEvents(desk.admin, 5);
  const service = await desk.coordinate();
  await until(() => quick.deliveries.length >= 5, patienceMs);
  t.true(slow.deliveries.length < (16 * 1_000) / 2, 'they are far from their end');
  await service.stop();
});

test('a replay that is ordered while a delivery is under way is sent', async (t) => {
  const desk = await openDesk(t);
  const receiver = await startReceiver();
  t.teardown(receiver.stop);
  const { webhookId, cursor } = await desk.register(receiver);
  await plantEvents(desk.admin, 3);
  const told: string[] = [];
  const held = Promise.withResolvers<void>();
  await desk.coordinate({
    post: async ({ headers }) => {
      told.push(headers['webhook-id'] ?? '');
      if (told.length === 3) await held.promise;
      return { kind: 'answered', status: 200 };
    },
  });
  await until(() => told.length === 3);
  const rewound = transaction(desk.admin, {}, (tx) => rewindWebhook(tx, webhookId, cursor));
  t.is(await rewound, 'rewound');
  held.resolve();
  await until(() => told.length === 6);
  t.deepEqual(told.slice(3), told.slice(0, 3));
});

test('a replay that is ordered while a delivery fails waits for none of the failures before', async (t) => {
  const desk = await openDesk(t);
  const receiver = await startReceiver();
  t.teardown(receiver.stop);
  const { webhookId, cursor } = await desk.register(receiver);
  await plantEvents(desk.admin, 3);
  const told: string[] = [];
  const held = Promise.withResolvers<void>();
  await desk.coordinate({
    post: async ({ headers }) => {
      told.push(headers['webhook-id'] ?? '');
      if (told.length !== 3) return { kind: 'answered', status: 200 };
      await held.promise;
      return { kind: 'answered', status: 500 };
    },
  });
  await until(() => told.length === 3);
  // From here on the pause would be an hour.
  await desk.admin`update webhook set failure_count = 20`;
  t.is(await transaction(desk.admin, {}, (tx) => rewindWebhook(tx, webhookId, cursor)), 'rewound');
  held.resolve();
  await until(() => told.length === 6);
  t.deepEqual(told.slice(3), told.slice(0, 3));
});

test('a receiver that is away is asked less and less often, and never given up', async (t) => {
  const desk = await openDesk(t);
  const receiver = await startReceiver();
  await receiver.stop();
  const { webhookId } = await desk.register(receiver);
  await plantEvents(desk.admin, 1);
  const service = await desk.coordinate();
  // The first pauses are short: a failure may pass unseen by who looks seldom.
  for (let seen = 0; seen < 14; ) {
    let failed: { failures: number; pause: number; error: string } | undefined;
    await until(async () => {
      [failed] = await desk.admin<{ failures: number; pause: number; error: string }[]>`
        select failure_count as failures, last_error as error,
          extract(epoch from next_attempt_at - last_attempt_at)::float8 as pause
        from webhook where webhook_id = ${webhookId} and failure_count > ${seen}`;
      return failed !== undefined;
    });
    const { failures = 0, pause = 0, error } = failed ?? {};
    t.is(error, 'the connection failed: ECONNREFUSED');
    const longest = Math.min(3600, 2 ** failures);
    t.true(pause >= longest / 2 && pause <= longest, `${pause} s after ${failures} failures`);
    await desk.admin`
      update webhook set next_attempt_at = rt.wall_clock()
      where webhook_id = ${webhookId} and failure_count = ${failures}`;
    seen = failures;
  }
  await service.stop();
});
