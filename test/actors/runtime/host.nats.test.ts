import { randomUUID } from 'node:crypto';
import test from 'ava';
import { Fault } from '../../../machines/fault.ts';
import { detailOf } from '../../../machines/refusal.ts';
import { eventually, startWorld, type World } from '../../support/runtime-world.ts';

let world: World;

test.before(async () => {
  world = await startWorld(4);
  const one = await world.host('one');
  await eventually(
    () => one.host.partitions().length,
    (count) => count === 4,
  );
});
test.after.always(() => world.stop());

test('an acknowledged command is in the database', async (t) => {
  const reply = await world.add(1, 'first', { by: 5 });

  t.deepEqual(reply, { value: 5, seq: 1 });
  const rows =
    await world.sql`select value::integer, additions from test_counter where key = 'first'`;
  t.deepEqual([...rows], [{ value: 5, additions: 1 }]);
});

test('a repeated command gets the first answer and has one effect', async (t) => {
  const id = randomUUID();

  const [first, second] = await Promise.all([
    world.add(1, 'repeated', { id }),
    world.add(1, 'repeated', { id }),
  ]);
  const third = await world.add(1, 'repeated', { id });

  t.deepEqual([first, second, third], Array(3).fill({ value: 1, seq: 1 }));
});

test('a refusal of the domain function drops its own command only', async (t) => {
  const [before, refused, after] = await Promise.allSettled([
    world.add(2, 'luck', { by: 1 }),
    world.add(2, 'luck', { by: 13 }),
    world.add(2, 'luck', { by: 1 }),
  ]);

  t.is(before.status, 'fulfilled');
  t.is(after.status, 'fulfilled');
  const fault = refused.status === 'rejected' ? refused.reason : undefined;
  t.true(fault instanceof Fault);
  t.like(fault, {
    code: 'COOLDOWN_ACTIVE',
    message: detailOf('COOLDOWN_ACTIVE'),
    extras: { by: 13 },
  });
  t.deepEqual(await world.add(2, 'luck', { by: 0 }), { value: 2, seq: 3 });
});

test('a violated constraint means what the kind says, and only to its command', async (t) => {
  const outcomes = await Promise.allSettled([
    world.add(2, 'full', { by: 1 }),
    world.add(2, 'brimming', { by: 1_000_666 }),
    world.add(2, 'broken', { by: -777 }),
    world.add(2, 'fuller', { by: 1 }),
  ]);

  const codes = outcomes.map((o) => (o.status === 'rejected' ? (o.reason as Fault).code : 'ok'));
  t.deepEqual(codes, ['ok', 'AT_CAPACITY', 'INTERNAL_ERROR', 'ok']);
});

test('a command that throws takes no other with it', async (t) => {
  const outcomes = await Promise.allSettled([
    world.add(3, 'a'),
    world.add(3, 'b', { type: 'no-such-type' }),
    world.add(3, 'c', { type: 'refuse' }),
    world.add(3, 'd'),
  ]);

  const codes = outcomes.map((o) => (o.status === 'rejected' ? (o.reason as Fault).code : 'ok'));
  t.deepEqual(codes, ['ok', 'INTERNAL_ERROR', 'BANNED', 'ok']);
});

test('a message to another partition arrives once and its outbox row dies', async (t) => {
  await world.edge.commands.command(
    { kind: 'counter', part: 0 },
    { id: randomUUID(), type: 'send', body: { key: 'mail', to: 3, by: 7 }, account: 'tester' },
  );

  const rows = await eventually(
    () =>
      world.sql`select value::integer, additions from test_counter where part = 3 and key = 'mail'`,
    (found) => found.length > 0,
  );
  t.deepEqual([...rows], [{ value: 7, additions: 1 }]);
  await eventually(
    () => world.sql`select msg_id from rt.outbox`,
    (left) => left.length === 0,
  );
});

test('what is due is decided without anybody asking', async (t) => {
  await world.add(0, 'bell', { type: 'arm' });

  const reply = await eventually(
    () => world.add(0, 'bell', { type: 'peek' }),
    (counter) => counter.value > 0,
  );
  t.deepEqual(reply, { value: 1, seq: 1 });
});

test('a caller of a partition without an owner is told when to come back', async (t) => {
  const target = { kind: 'counter', part: 99 };
  const command = { id: randomUUID(), type: 'add', body: { key: 'x' }, account: 'tester' };

  const fault = await t.throwsAsync(
    world.edge.commands.command(target, command, { budgetMs: 2_000 }),
    {
      instanceOf: Fault,
    },
  );

  t.is(fault.code, 'OWNER_UNAVAILABLE');
  t.true(Number(fault.extras['retry_after_seconds']) >= 1);
});
