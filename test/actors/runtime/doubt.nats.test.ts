import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { Host } from '../../../actors/runtime/host.ts';
import type { Activation } from '../../../actors/runtime/partition-actor.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { Fault } from '../../../machines/fault.ts';
import { counterKind } from '../../support/counter-kind.ts';
import { holdLock } from '../../support/held-lock.ts';
import { eventually, startWorld, type World } from '../../support/runtime-world.ts';

let world: World;
const activations: Activation[] = [];
let blocked: Promise<void> = Promise.resolve();
/** Batches that were prepared, or wait to be. */
let prepared = 0;
let isUnreadable = false;
let host: Host;
/** Longer than a busy machine stands still: who loses its lease loads everything anew, as after a doubt. */
const leaseMs = 5_000;

test.before(async () => {
  world = await startWorld(4);
  const one = await world.host('one', {
    kind: (sql) =>
      counterKind(sql, {
        activated: (_part, activation) => {
          activations.push(activation);
          if (isUnreadable) throw new Error('a row that nobody can read');
        },
        prepare: () => {
          prepared += 1;
          return blocked;
        },
        validMs: -60_000,
      }),
    policy: { leaseMs, mailboxCommandsMax: 8, batchSizeMax: 4 },
  });
  host = one.host;
  await eventually(
    () => host.partitions().length,
    (count) => count === 4,
  );
});
test.after.always(() => world.stop());

/** Adds, and ends the connection of the commit in the middle of it, where it is held meanwhile. */
async function addCut(part: number, key: string) {
  let added: ReturnType<World['add']> | undefined;
  await holdLock(
    world.sql,
    (tx) => tx`select pg_advisory_xact_lock(14)`,
    async () => {
      added = world.add(part, key, { by: 14 });
      await eventually(
        () => world.sql`
          select pg_terminate_backend(pid)
          from pg_stat_activity
          where datname = current_database()
            and query like '%rt.commit%' and wait_event_type = 'Lock' and wait_event = 'advisory'`,
        (rows) => rows.length > 0,
      );
    },
  );
  return { added };
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

  const { added } = await addCut(0, 'cut');

  t.deepEqual(await added, { value: 15, seq: 2 });
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
    const { added } = await addCut(3, 'doubted');
    await eventually(
      () => host.isSettled(),
      (isSettled) => !isSettled,
    );
    isUnreadable = false;

    t.like(await added, { value: 14 });
    await eventually(
      () => host.isSettled(),
      (isSettled) => isSettled,
    );
  },
);

// Longer than those wait who need a decision. A database that was killed leaves every partition so.
test.serial('what needs no decision is answered while a commit is in doubt', async (t) => {
  await world.add(3, 'heard', { by: 5 });

  isUnreadable = true;
  t.teardown(() => {
    isUnreadable = false;
  });
  const { added } = await addCut(3, 'cut-again');
  await eventually(
    () => host.isSettled(),
    (isSettled) => !isSettled,
  );
  await systemClock.sleep(1_200);
  const heard = await world.add(3, 'heard', { type: 'peek' });
  const undecided = await t.throwsAsync(world.add(3, 'other'), { instanceOf: Fault });
  isUnreadable = false;

  t.deepEqual(heard, { value: 5, seq: 1 });
  t.is(undecided.code, 'STORE_UNAVAILABLE');
  await Promise.allSettled([added]);
  await eventually(
    () => world.add(3, 'cut-again', { type: 'peek' }),
    ({ value }) => value === 14,
  );
});

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
  t.is(activation?.amnestyUntilMs(120_000), (activation?.nowMs ?? 0) + 120_000 + leaseMs);
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
      { budgetMs: 3_000 },
    );
  const before = prepared;
  const first = send('first');
  await eventually(
    () => prepared,
    (count) => count > before,
  );
  const rest = Array.from({ length: 20 }, (_, n) => send(`rest-${n}`));

  const outcomes = await Promise.allSettled([first, ...rest]);
  // Their time is counted from when they arrived, which is later than when they were sent.
  await systemClock.sleep(5_000);
  unblock();
  blocked = Promise.resolve();
  // What waited has to leave the mailbox before anything else finds room.
  await eventually(() => world.add(2, 'later').catch(() => undefined), Boolean);

  const codes = outcomes.map((o) => (o.status === 'rejected' ? (o.reason as Fault).code : 'ok'));
  t.true(codes.includes('OVERLOADED'));
  t.true(codes.includes('OUTCOME_UNKNOWN'));
  // What was being done was done late; what waited behind it was not.
  const done = await world.sql<{ key: string }[]>`
    select key from test_counter where part = 2 and key <> 'later'`;
  t.deepEqual([...done], [{ key: 'first' }]);
});
