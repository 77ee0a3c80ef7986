import { randomUUID } from 'node:crypto';
import test from 'ava';
import { createFactConsumer } from '../../../actors/runtime/fact-consumer.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { createBus } from '../../../infra/nats/bus.ts';
import { connectNats } from '../../../infra/nats/connect.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { createPartitionStore } from '../../../infra/postgres/partition-store.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase, testNats } from '../../support/cluster.ts';
import { eventually } from '../../support/runtime-world.ts';
import { silentLogger, silentTelemetry } from '../../support/silent-telemetry.ts';

// A fact may be delivered any number of times; the proof and the effect are one transaction.
test('a fact has its effect once, though it fails, repeats and comes again', async (t) => {
  const database = await testDatabase(t);
  await database.sql.unsafe(`
    create table seen (n integer);
    grant select, insert on seen to paddock_service;`);
  const sql = createSql({
    url: database.url,
    applicationName: 'p',
    role: 'paddock_service',
    max: 2,
  });
  const connection = await connectNats({ url: await testNats(), name: 'projector' });
  const common = { clock: systemClock, log: silentLogger, telemetry: silentTelemetry };
  const bus = await createBus({ connection, streams: { replicas: 1 }, ...common });
  let failures = 1;
  const consumer = createFactConsumer({
    name: 'projector',
    messages: bus.messages,
    store: createPartitionStore(sql),
    ...common,
    handle: (facts) =>
      transaction(sql, {}, async (tx) => {
        for (const { kind, part, msgId, body } of facts) {
          const [proof] = await tx<{ isNew: boolean }[]>`
            select rt.consume(${kind}, ${part}, 'projector', ${msgId}) as "isNew"`;
          if (proof?.isNew !== true) continue;
          const { n } = body as { n: number };
          await tx`insert into seen (n) values (${n})`;
          failures -= 1;
          if (failures >= 0) throw new Error('the first try fails after its writes');
        }
      }),
  });
  await consumer.start();
  const publish = (n: number, msgId: string, attempt: number) =>
    bus.messages.publish({
      msgId,
      subject: 'fact.counter.added',
      headers: { 'x-kind': 'counter', 'x-part': '2' },
      body: { n },
      attempt,
    });
  const ids = [randomUUID(), randomUUID(), randomUUID()];
  await eventually(() => connection.info !== undefined, Boolean);
  for (const [n, id] of ids.entries()) {
    // The streams may still be on their way.
    await publish(n, id, 0).catch(() => publish(n, id, 0));
    await publish(n, id, 1);
  }

  const seen = () => database.sql<{ n: number }[]>`select n from seen order by n`;
  const rows = await eventually(seen, (found) => found.length >= 3);
  t.deepEqual(
    rows.map(({ n }) => n),
    [0, 1, 2],
  );
  const proofs = await database.sql`
    select part from rt.inbox where kind = 'counter' and consumer = 'projector'`;
  t.is(proofs.length, 3);

  await consumer.stop();
  await connection.close();
  await closeSql(sql);
  t.is((await seen()).length, 3);
});
