import test from 'ava';
import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { audit, startLoad } from '../../support/counter-load.ts';
import { eventually, startWorld } from '../../support/runtime-world.ts';

const partitions = 8;
/** Longer than a busy machine stands still: who loses its lease is given other partitions. */
const lasting = { policy: { leaseMs: 10_000 } };

test('who is ordered to drain gives all it has under load, and serves again only when alone', async (t) => {
  const world = await startWorld(partitions);
  t.teardown(() => world.stop());
  const ownedBy = (owner: string) => async () =>
    (await world.owners()).filter((found) => found === owner).length;
  const orderDrain = async (memberId: string, sql: Sql | Transaction = world.sql) => {
    const [row] = await sql<{ isDraining: boolean; partitionCount: number }[]>`
      select is_draining as "isDraining", partition_count as "partitionCount"
      from rt.order_drain(${memberId})`;
    return row;
  };
  const one = await world.host('one', lasting);
  await eventually(ownedBy('one'), (count) => count === partitions);
  t.is(await orderDrain('nobody'), undefined);
  t.deepEqual(await orderDrain('one'), { isDraining: false, partitionCount: partitions });
  const load = startLoad(world, { clients: 16, partitions });

  const two = await world.host('two', lasting);
  await eventually(ownedBy('two'), (count) => count === 3);
  // Together: the first order moves what the second one counts, as soon as the hosts can see it.
  const orders = await transaction(world.sql, {}, async (tx) => [
    await orderDrain('one', tx),
    await orderDrain('two', tx),
  ]);
  t.deepEqual(orders, [
    { isDraining: true, partitionCount: 5 },
    { isDraining: false, partitionCount: 3 },
  ]);
  await eventually(ownedBy('two'), (count) => count === partitions);

  // Its lease ends and it joins afresh: it was ordered all the same.
  await world.sql`update rt.member set lease_until = now() - interval '1 second' where member_id = 'one'`;
  await eventually(
    async () => {
      const rows = await world.sql<{ draining: boolean; lives: boolean }[]>`
        select draining, lease_until > now() as lives from rt.member where member_id = 'one'`;
      return rows[0];
    },
    (row) => row?.lives === true && row.draining,
  );
  await eventually(
    () => one.host.isCertain(),
    (isCertain) => isCertain,
  );
  t.is((await orderDrain('one'))?.partitionCount, 0);
  const { acknowledged, slowestMs, commands } = await load.stop();
  t.deepEqual(await audit(world, acknowledged), { wrong: [], epochsBack: 0 });
  t.log(`${commands} commands, slowest ${Math.round(slowestMs)} ms`);
  t.true(slowestMs < 30_000);

  await two.host.stop();
  await eventually(ownedBy('one'), (count) => count === partitions);
  // A start undoes the order.
  await one.host.stop();
  const again = await world.host('one', lasting);
  await eventually(ownedBy('one'), (count) => count === partitions);
  const [member] = await world.sql<{ draining: boolean }[]>`
    select draining from rt.member where member_id = 'one'`;
  t.false(member?.draining);
  // The table says whose they are a moment before they are served.
  await eventually(
    () => again.host.partitions().length,
    (count) => count === partitions,
  );
});

test('who leaves while the broker is silent says goodbye to the database all the same', async (t) => {
  const world = await startWorld(partitions);
  t.teardown(async () => {
    world.signalNats('SIGCONT');
    await world.stop();
  });
  const { host } = await world.host('one', { policy: { leaseMs: 600_000, handOverMs: 200 } });
  await eventually(world.owners, (owners) => owners.every((owner) => owner === 'one'));
  const living = () => world.sql`select from rt.member where lease_until > clock_timestamp()`;
  t.is((await living()).length, 1);

  world.signalNats('SIGSTOP');
  void host.stop();

  await eventually(world.owners, (owners) => owners.every((owner) => owner === null));
  await eventually(living, ({ length }) => length === 0);
});
