import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { Host } from '../../../actors/runtime/host.ts';
import type { Activation } from '../../../actors/runtime/partition-actor.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { Fault } from '../../../machines/fault.ts';
import { counterKind } from '../../support/counter-kind.ts';
import { eventually, startWorld, type World } from '../../support/runtime-world.ts';

let world: World;
const activations: Activation[] = [];
let blocked: Promise<void> = Promise.resolve();
let isUnreadable = false;
let host: Host;

test.before(async () => {
  world = await startWorld(4);
  const one = await world.host('one', {
    kind: (sql) =>
      counterKind(sql, {
        activated: (_part, activation) => {
          activations.push(activation);
          if (isUnreadable) throw new Error('a row that nobody can read');
        },
        prepare: () => blocked,
        validMs: -60_000,
      }),
    policy: { mailboxCommandsMax: 8, batchSizeMax: 4 },
  });
  host = one.host;
  await eventually(
    () => host.partitions().length,
    (count) => count === 4,
  );
});
test.after.always(() => world.stop());

/** Ends the connection that runs a statement which contains `text`, while it sleeps. */
async function cut(text: string): Promise<void> {
  await eventually(
    () => world.sql`
      select pg_terminate_backend(pid)
      from pg_stat_activity
      where state = 'active' and pid <> pg_backend_pid() and query like ${`%${text}%`}
        and wait_event = 'PgSleep'`,
    (rows) => rows.length > 0,
  );
}

/** Whatever is known beside what is stored is forgotten. */
async function takeover(): Promise<void> {
  const before = activations.length;
  await world.sql`update rt.member set lease_until = clock_timestamp() - interval '1 second'`;
  await eventually(
    () => activations.length,
    (count) => count >= before + 4,
  );
}

test.serial('a commit that was cut off is decided again exactly once', async (t) => {
  await world.add(0, 'cut', { by: 1 });
  const before = activations.length;

  const slow = world.add(0, 'cut', { by: 14 });
  await cut('rt.commit');
  const reply = await slow;

  t.deepEqual(reply, { value: 15, seq: 2 });
  t.is(activations.length, before + 1);
  const rows =
    await world.sql`select value::integer, additions from test_counter where key = 'cut'`;
  t.deepEqual([...rows], [{ value: 15, additions: 2 }]);
});

// It goes on trying, and answers nobody meanwhile.
test.serial(
  'a host that cannot load a partition after a commit in doubt is not settled',
  async (t) => {
    t.true(host.isSettled());

    isUnreadable = true;
    const slow = world.add(3, 'doubted', { by: 14 });
    await cut('rt.commit');
    await eventually(
      () => host.isSettled(),
      (isSettled) => !isSettled,
    );
    isUnreadable = false;

    t.like(await slow, { value: 14 });
    await eventually(
      () => host.isSettled(),
      (isSettled) => isSettled,
    );
  },
);

// The answer of a commit that did happen is lost: the inbox must tell it, not a second decision.
test.serial('a commit whose answer was lost is answered from the inbox', async (t) => {
  const id = randomUUID();
  const first = await world.add(1, 'told', { id });
  await takeover();

  const again = await world.add(1, 'told', { id });

  t.deepEqual(again, first);
});

// A claim whose run ended meanwhile was told an error of ours, since a run cannot be claimed twice.
test.serial('what cannot be decided twice is answered from the inbox, too', async (t) => {
  const id = randomUUID();
  const first = await world.add(1, 'founded', { id, type: 'found' });
  await takeover();

  const again = await world.add(1, 'founded', { id, type: 'found' });
  const other = await t.throwsAsync(world.add(1, 'founded', { type: 'found' }), {
    instanceOf: Fault,
  });

  t.deepEqual(again, first);
  t.is(other.code, 'INTERNAL_ERROR');
  const rows = await world.sql`select additions from test_counter where key = 'founded'`;
  t.deepEqual([...rows], [{ additions: 1 }]);
});

test.serial('after a takeover every lease has a full fresh window', (t) => {
  const [activation] = activations;

  // The lease itself, and the former owner's membership lease, during which it may have promised.
  t.is(activation?.amnestyUntilMs(120_000), (activation?.nowMs ?? 0) + 120_000 + 1_500);
});

test.serial('a decision bound to a lease that passed is refused and decided again', async (t) => {
  const fault = await t.throwsAsync(world.add(1, 'bound', { type: 'add-bound' }), {
    instanceOf: Fault,
  });

  // This actor never learns, so the runtime gives up; nothing was written.
  t.is(fault.code, 'STORE_UNAVAILABLE');
  t.is((await world.sql`select 1 from test_counter where key = 'bound'`).length, 0);
});

test.serial('a full mailbox refuses, and what nobody waits for is not done', async (t) => {
  let unblock = () => {};
  blocked = new Promise((resolve) => {
    unblock = resolve;
  });
  const target = { kind: 'counter', part: 2 };
  const send = (key: string) =>
    world.edge.commands.command(
      target,
      { id: randomUUID(), type: 'add', body: { key }, account: 'tester' },
      { budgetMs: 300 },
    );
  const first = send('first');
  await eventually(() => world.edge.commands !== undefined, Boolean);
  const rest = Array.from({ length: 20 }, (_, n) => send(`rest-${n}`));

  const outcomes = await Promise.allSettled([first, ...rest]);
  // Their time is counted from when they arrived, which is later than when they were sent.
  await systemClock.sleep(2_000);
  unblock();
  blocked = Promise.resolve();
  // What waited has to leave the mailbox before anything else finds room.
  await eventually(() => world.add(2, 'later').catch(() => undefined), Boolean);

  const codes = outcomes.map((o) => (o.status === 'rejected' ? (o.reason as Fault).code : 'ok'));
  t.true(codes.includes('OVERLOADED'));
  t.true(codes.includes('OUTCOME_UNKNOWN'));
  // Those that were taken into the first batch were done late; those that waited were not.
  const done = await world.sql`select key from test_counter where part = 2 and key like 'rest-%'`;
  t.true(done.length <= 4);
});
