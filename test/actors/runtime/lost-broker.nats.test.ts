import { randomUUID } from 'node:crypto';
import test from 'ava';
import { counterKind } from '../../support/counter-kind.ts';
import { audit } from '../../support/counter-load.ts';
import { eventually, startWorld, type World } from '../../support/runtime-world.ts';

let world: World;
const extended: number[] = [];

test.before(async () => {
  world = await startWorld(4);
  const one = await world.host('one', {
    kind: (sql) => counterKind(sql, { extended: (outageMs) => extended.push(outageMs) }),
    // Whatever it loses comes again because it was started, and not because its time has come.
    policy: { outageMinMs: 1, sweepAfterMs: 600_000 },
  });
  await eventually(
    () => one.host.partitions().length,
    (count) => count === 4,
  );
});
test.after.always(() => world.stop());

// An outbox row dies by the consumer's proof alone, so a broker that forgets everything, twice and
// while messages fly, costs time and nothing else.
test.serial('a broker that loses its whole store loses no message and doubles none', async (t) => {
  let running = true;
  const sent = new Map<number, number>();
  const sender = async (from: number) => {
    const to = (from + 1) % 4;
    while (running) {
      const id = randomUUID();
      const command = { id, type: 'send', body: { key: 'mail', by: 1, to }, account: 'tester' };
      for (;;) {
        try {
          await world.edge.commands.command({ kind: 'counter', part: from }, command);
          break;
        } catch {
          // The broker is away: the same command again.
        }
      }
      sent.set(to, (sent.get(to) ?? 0) + 1);
    }
  };
  const senders = [0, 1, 2, 3].flatMap((from) => [sender(from), sender(from)]);
  const total = () => [...sent.values()].reduce((sum, count) => sum + count, 0);
  await eventually(total, (count) => count > 300);
  await world.wipeNats();
  const before = total();
  await eventually(total, (count) => count > before + 300);
  await world.wipeNats();
  running = false;
  await Promise.all(senders);

  const received = () => world.sql<{ part: number; value: number }[]>`
    select part, value::integer from test_counter where key = 'mail' order by part`;
  const rows = await eventually(
    received,
    (found) => found.reduce((sum, row) => sum + row.value, 0) >= total(),
  );
  t.deepEqual(new Map(rows.map((row) => [row.part, row.value])), new Map([...sent].sort()));
  t.deepEqual((await audit(world, new Map())).wrong, []);
  await eventually(
    () => world.sql`select msg_id from rt.outbox`,
    (left) => left.length === 0,
  );
  // Nobody could beat while there was no broker, so each partition's leases were lengthened each time.
  // Renewals of a busy machine that come a millisecond late lengthen them as well.
  t.true(extended.length >= 8, `${extended.length}`);
  t.log(`${total()} messages`);
});

test.serial('what a broker had taken and lost comes again once there is another one', async (t) => {
  const msgId = randomUUID();
  // As after a commit whose message the broker acknowledged a moment ago.
  await world.sql`
    insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
                           headers, body, at, next_at)
    values ('counter', 0, ${msgId}, 'evt.counter.1.add', 'counter', 1, 'evt',
            ${world.sql.json({ 'x-kind': 'counter', 'x-part': '0', 'x-account': 'tester' })},
            ${world.sql.json({ key: 'lost', by: 7, to: 0 })},
            now(), now() + interval '10 minutes')`;

  await world.wipeNats();

  const lost = () => world.sql<{ value: number }[]>`
    select value::integer from test_counter where part = 1 and key = 'lost'`;
  const [counter] = await eventually(lost, ({ length }) => length > 0);
  t.is(counter?.value, 7);
});
