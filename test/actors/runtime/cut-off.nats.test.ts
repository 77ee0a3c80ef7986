import { randomUUID } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import test from 'ava';
import type { Command } from '../../../actors/runtime/partition-actor.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { closeNats, connectNats } from '../../../infra/nats/connect.ts';
import type { MembershipStore } from '../../../infra/ports/membership-store.ts';
import { Fault } from '../../../machines/fault.ts';
import { counterKind } from '../../support/counter-kind.ts';
import { eventually, startWorld, type World } from '../../support/runtime-world.ts';

// Two hosts reach the broker, and one or both of them no database.

const partitions = 2;
const sent = 20;
const cut = new Set<string>();
/** What was decided, however often, by each. */
const decided: { readonly by: string; readonly id: string }[] = [];
let world: World;

test.before(async () => {
  world = await startWorld(partitions);
  const one = await world.host('one', setup('one'));
  await eventually(
    () => one.host.partitions().length,
    (count) => count === partitions,
  );
  const two = await world.host('two', setup('two'));
  cut.add('one');
  await eventually(
    () => two.host.partitions().length,
    (count) => count === partitions,
  );
  await eventually(
    () => two.host.isSettled(),
    (isSettled) => isSettled,
  );
  // A lease and a half, and some: the other one has lapsed.
  await systemClock.sleep(2_500);
});
test.after.always(async () => {
  cut.clear();
  await world.stop();
});

function setup(memberId: string) {
  const between = (members: MembershipStore): MembershipStore =>
    new Proxy(members, {
      get: (of, name: keyof MembershipStore) =>
        cut.has(memberId) ? () => Promise.reject(new Error('no database')) : of[name],
    });
  const prepare = async (commands: readonly Command[]) => {
    decided.push(...commands.map(({ id }) => ({ by: memberId, id })));
    // A database at work.
    await systemClock.sleep(50);
  };
  // Nothing is handed over to whoever comes: it has to be lost.
  return { between, kind: (sql: World['sql']) => counterKind(sql, { prepare }), policy };
}

// What is pulled by who cannot decide it is given back, and not left until it comes again by itself.
const policy = { calmMs: 60_000, ackWaitMs: 30_000 };

const ask = (type: string, key: string) => {
  const id = randomUUID();
  const command = { id, type, body: { key, by: 1, to: 1 }, account: 'tester' };
  const asked = world.edge.commands.command({ kind: 'counter', part: 0 }, command);
  return { id, asked };
};

test.serial('the answer of whoever owns it is the first, also where it is a refusal', async (t) => {
  const refusal = ask('refuse', 'key');
  const fault = await t.throwsAsync(refusal.asked, { instanceOf: Fault });
  const addition = ask('add', 'key');

  t.is(fault.code, 'BANNED');
  t.deepEqual(await addition.asked, { value: 1, seq: 1 });
  const attempts = decided.filter(({ id }) => id === refusal.id || id === addition.id);
  t.deepEqual(new Set(attempts.map(({ by }) => by)), new Set(['two']));
});

test.serial('who is cut off pulls nothing that another one could do', async (t) => {
  await Promise.all(Array.from({ length: sent }, (_, n) => ask('send', `mail-${n}`).asked));
  await eventually(
    () => world.sql`select from test_counter where part = 1 and key like 'mail-%'`,
    ({ length }) => length === sent,
  );
  const connection = await connectNats({ url: world.natsUrl, name: 'onlooker' });
  t.teardown(() => closeNats(connection));
  const manager = await jetstreamManager(connection);
  const { delivered } = await manager.consumers.info('EVT', 'evt-counter-1');
  // Who cannot decide one has it delivered again, twice as many in all as a rule; a machine that stands still, a few.
  t.true(delivered.consumer_seq < 1.5 * sent, String(delivered.consumer_seq));
});

test.serial('where nobody has a database, callers hear so in time', async (t) => {
  cut.add('two');
  // A lease and a half, and some.
  await systemClock.sleep(3_000);
  const startedMs = systemClock.monotonicMs();

  const fault = await t.throwsAsync(ask('add', 'key').asked, { instanceOf: Fault });

  t.is(fault.code, 'STORE_UNAVAILABLE');
  // Before their time was over.
  t.true(systemClock.monotonicMs() - startedMs < 9_500);
});

test.serial('who has a database again serves again', async (t) => {
  cut.clear();
  await eventually(
    () => ask('add', 'again').asked.catch(() => undefined),
    (reply) => reply !== undefined,
  );
  await ask('send', 'late').asked;
  const arrived = await eventually(
    () => world.sql`select from test_counter where part = 1 and key = 'late'`,
    ({ length }) => length === 1,
  );
  t.is(arrived.length, 1);
});
