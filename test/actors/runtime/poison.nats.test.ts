import test from 'ava';
import { headers } from 'nats';
import { connectNats } from '../../../infra/nats/connect.ts';
import type { Fault } from '../../../machines/fault.ts';
import { eventually, startWorld, type World } from '../../support/runtime-world.ts';

let world: World;

test.before(async () => {
  world = await startWorld(2);
  const one = await world.host('one');
  await eventually(
    () => one.host.partitions().length,
    (count) => count === 2,
  );
});
test.after.always(() => world.stop());

function codesOf(outcomes: readonly PromiseSettledResult<unknown>[]): string[] {
  return outcomes.map((o) => (o.status === 'rejected' ? (o.reason as Fault).code : 'ok'));
}

// Loading again does not help: what the command writes will never fit what is stored.
test('a command whose first event is stored already harms nobody but itself', async (t) => {
  await world.sql`
    insert into rt.event (kind, part, machine, key, seq, actor_key, type, type_version, payload,
                          command_id, account, epoch, at)
    values ('counter', 0, 'counter', 'taken', 1, 'taken', 'ADDED', 1, '{}', 'long ago', 'tester', 1,
            now())`;

  const outcomes = await Promise.allSettled([
    world.add(0, 'before'),
    world.add(0, 'taken'),
    world.add(0, 'after'),
  ]);

  t.deepEqual(codesOf(outcomes), ['ok', 'INTERNAL_ERROR', 'ok']);
  t.deepEqual(await world.add(0, 'after'), { value: 2, seq: 2 });
});

// A subscriber that throws makes the client library deaf until its pings go unanswered.
test('a command with an unreadable header does not make its owner deaf', async (t) => {
  const connection = await connectNats({ url: world.natsUrl, name: 'stranger' });
  t.teardown(() => connection.close());
  const unreadable = headers();
  for (const [name, value] of [
    ['x-cmd-id', 'odd'],
    ['x-cmd-type', 'add'],
    ['x-account', '%'],
  ] as const) {
    unreadable.set(name, value);
  }

  connection.publish('cmd.counter.1', '{"key":"odd"}', { headers: unreadable });
  await connection.flush();

  t.deepEqual(await world.add(1, 'heard'), { value: 1, seq: 1 });
});
