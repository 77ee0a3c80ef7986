import { randomUUID } from 'node:crypto';
import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import test from 'ava';
import { nanos } from 'nats';
import { deliveriesMax } from '../../../actors/runtime/inbox-consumer.ts';
import type { Command } from '../../../actors/runtime/partition-actor.ts';
import { findStuck } from '../../../actors/services/stuck/find-stuck.ts';
import { connectNats } from '../../../infra/nats/connect.ts';
import { counterKind } from '../../support/counter-kind.ts';
import { startWorld } from '../../support/runtime-world.ts';
import { until } from '../../support/until.ts';

// A message whose handling is a defect until it is repaired, through the real runtime: broker, outbox,
// sweeper, and the consumer that parks it. A partition whose number nobody serves yet takes it, so that
// the nineteen deliveries before the last one cost no minutes.

/** Sent at once, and by the sweeper. */
const copies = 2;

async function openWorld() {
  const world = await startWorld(1);
  let isBroken = true;
  const prepare = async (commands: readonly Command[]) => {
    const isHit = commands.some(({ type, body }) => type === 'add' && isParcel(body));
    if (isBroken && isHit) throw new Error('a defect');
  };
  const start = (memberId: string) =>
    world.host(memberId, {
      kind: (sql) => counterKind(sql, { prepare }),
      // An owner in doubt puts a message off by twenty seconds more each time, and a try that the broker
      // takes for an older one is not to be mended by the next one.
      policy: { leaseMs: 20_000, sweepAfterMs: 600_000 },
    });
  const connection = await connectNats({ url: world.natsUrl, name: 'stranger' });
  const manager = await jetstreamManager(connection);
  /** Deliveries to somebody who gives each copy back, until one more is its last. */
  const failOften = async () => {
    await manager.consumers.add('EVT', {
      durable_name: 'evt-counter-1',
      filter_subject: 'evt.counter.1.>',
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ack_wait: nanos(2_000),
      max_ack_pending: 256,
      max_deliver: -1,
    });
    const consumer = await jetstream(connection).consumers.get('EVT', 'evt-counter-1');
    const deliveries = new Map<number, number>();
    const isOften = () => [...deliveries.values()].every((count) => count >= deliveriesMax - 1);
    while (deliveries.size < copies || !isOften()) {
      const message = await consumer.next({ expires: 1_000 });
      if (message !== null) deliveries.set(message.seq, message.info.deliveryCount);
      message?.nak();
    }
  };
  /** Every copy that the stream has was delivered and settled. */
  const isSettled = async () => {
    const info = await manager.consumers.info('EVT', 'evt-counter-1');
    return info.num_pending === 0 && info.num_ack_pending === 0;
  };
  const stop = async () => {
    await connection.close();
    await world.stop();
  };
  const repair = () => {
    isBroken = false;
  };
  return { ...world, start, failOften, isSettled, repair, stop };
}

function isParcel(body: unknown): boolean {
  return (body as { readonly key?: string }).key === 'parcel';
}

type World = Awaited<ReturnType<typeof openWorld>>;

const attempts = async ({ sql }: World, msgId: string) => {
  const [row] = await sql<{ attempts: number }[]>`
    select attempts from rt.outbox where msg_id = ${msgId}`;
  return row?.attempts;
};

/** How often the parcel was added where it was sent to. */
const additions = async ({ sql }: World) => {
  const [row] = await sql<{ additions: number }[]>`
    select additions from test_counter where part = 1 and key = 'parcel'`;
  return row?.additions ?? 0;
};

const stuckOf = async ({ sql }: World, msgId: string) =>
  (await findStuck(sql, 10)).records.filter(({ id }) => id === msgId).map(({ kind }) => kind);

/** Sent, sent again by the sweeper, failed twenty times, parked, and gone from the outbox. */
async function parkParcel(world: World): Promise<string> {
  const id = randomUUID();
  const msgId = `${id}/message`;
  await world.add(0, 'parcel', { id, type: 'send', to: 1 });
  await world.sql`update rt.outbox set next_at = rt.clock() where msg_id = ${msgId}`;
  // The broker now knows the numbers of both attempts.
  await until(async () => (await attempts(world, msgId)) === 1);
  await world.failOften();
  await world.sql`insert into rt.partition (kind, part) values ('counter', 1)`;
  await until(async () => (await stuckOf(world, msgId)).includes('parked-message'), 140_000);
  await until(async () => (await attempts(world, msgId)) === undefined);
  // The other copy, too, so that what comes later was sent again.
  await until(world.isSettled, 140_000);
  return msgId;
}

const unpark = async ({ sql }: World, msgId: string) => {
  const [row] = await sql<{ isSent: boolean }[]>`select rt.unpark(${msgId}) as "isSent"`;
  return row?.isSent;
};

test('a message that was parked is sent again and has its effect once', async (t) => {
  const world = await openWorld();
  t.teardown(world.stop);
  await world.start('one');
  const msgId = await parkParcel(world);
  t.is(await additions(world), 0);

  world.repair();
  t.true(await unpark(world, msgId));

  await until(async () => (await additions(world)) === 1, 60_000);
  await until(async () => (await attempts(world, msgId)) === undefined);
  await until(world.isSettled);
  t.is(await additions(world), 1);
  t.deepEqual(await stuckOf(world, msgId), []);
  t.false(await unpark(world, msgId), 'it is not parked any more');
  t.is(await attempts(world, msgId), undefined);
});

test('a message that is sent again while nobody takes it waits for its consumer', async (t) => {
  const world = await openWorld();
  t.teardown(world.stop);
  const { close } = await world.start('one');
  const msgId = await parkParcel(world);
  await close();

  world.repair();
  t.true(await unpark(world, msgId));
  t.is(await additions(world), 0);
  await world.start('two');

  await until(async () => (await additions(world)) === 1, 60_000);
  await until(async () => (await attempts(world, msgId)) === undefined);
  await until(world.isSettled);
  t.is(await additions(world), 1);
  t.deepEqual(await stuckOf(world, msgId), []);
});
