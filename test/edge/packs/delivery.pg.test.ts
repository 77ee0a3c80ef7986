import test, { type ExecutionContext } from 'ava';
import { createDeliveries } from '../../../apps/edge/packs/delivery.ts';
import { sha256Hex } from '../../../infra/ids/ids.ts';
import { StorageUnavailable } from '../../../infra/object-store/storage-unavailable.ts';
import type { CommandBus } from '../../../infra/ports/bus.ts';
import type { ObjectStore } from '../../../infra/ports/object-store.ts';
import { testDatabase } from '../../support/cluster.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { until } from '../../support/until.ts';

const [packSha256, deliverySha256] = [sha256Hex('pack'), sha256Hex('delivery')];
const taskIds = ['one', 'two'];

/** One that is registered, and a store that says of it what it is told to say; none is built here. */
async function registered(t: ExecutionContext) {
  const { sql } = await testDatabase(t);
  const store = { asked: 0, say: async (): Promise<boolean> => true };
  await sql`
    insert into pack (pack_sha256, size_bytes, manifest, task_count, family_counts, created_at)
    values (${packSha256}, 9, '{}', 2, '{}', now())`;
  await sql`
    insert into pack_delivery (pack_sha256, delivery_key, delivery_sha256, size_bytes, created_at)
    values (${packSha256}, ${sha256Hex(JSON.stringify(taskIds))}, ${deliverySha256}, 7, now())`;
  const holds = async () => {
    store.asked += 1;
    return await store.say();
  };
  const clock = new ManualClock();
  const deliveries = createDeliveries({
    ...{ sql, clock, scratch: '' },
    bus: {} as CommandBus,
    objects: { holds } as unknown as ObjectStore,
  });
  const ask = async () => t.deepEqual(await deliveries.of(packSha256, taskIds), found);
  return { store, clock, ask };
}

const found = { deliverySha256, sizeBytes: 7 };

test('all who ask at once for a delivery share one look at the store', async (t) => {
  const { store, ask } = await registered(t);
  const looked = Promise.withResolvers<boolean>();
  store.say = () => looked.promise;
  const answers = Promise.all(Array.from({ length: 20 }, ask));

  looked.resolve(true);
  await answers;

  t.is(store.asked, 1);
});

test('a store that does not say is believed, and not asked again for a minute', async (t) => {
  const { store, clock, ask } = await registered(t);
  store.say = async () => {
    throw new StorageUnavailable('it is down');
  };

  await ask();
  await clock.advance(59_999);
  await ask();
  t.is(store.asked, 1);
  await clock.advance(1);
  store.say = async () => true;
  await ask();
  await ask();

  t.is(store.asked, 3);
});

test('a store that hangs holds up nobody for longer than two seconds', async (t) => {
  const { store, clock, ask } = await registered(t);
  store.say = () => new Promise(() => undefined);

  const first = ask();
  await until(() => store.asked === 1);
  await clock.advance(2_000);
  await first;
  await ask();

  t.is(store.asked, 1);
});
