import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { Membership } from '../../../actors/runtime/membership.ts';
import { defaultPolicy } from '../../../actors/runtime/policy.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { createMembershipStore } from '../../../infra/postgres/membership-store.ts';
import { testDatabase } from '../../support/cluster.ts';
import { holdLock, type Take } from '../../support/held-lock.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { eventually } from '../../support/runtime-world.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';
import { until } from '../../support/until.ts';

interface Setup {
  readonly mayJoin?: () => boolean;
  readonly beforeRenewal?: () => Promise<void>;
  readonly afterRenewal?: () => Promise<void>;
}

async function member(t: ExecutionContext, setup: Setup) {
  const { url, sql } = await testDatabase(t);
  const own = createSql({ url, applicationName: 'leases', role: 'paddock_actor' });
  t.teardown(() => closeSql(own));
  const clock = new ManualClock();
  const store = createMembershipStore(own);
  const lost: string[] = [];
  const late: number[] = [];
  const membership: Membership = new Membership({
    memberId: 'one',
    kinds: ['counter'],
    newIncarnation: randomUUID,
    clock,
    log: silentLogger,
    policy: defaultPolicy,
    mayJoin: setup.mayJoin ?? (() => true),
    onLost: () => lost.push(membership.identity.incarnation),
    onJoined: () => undefined,
    onLateRenewal: (gapMs) => late.push(gapMs),
    store: {
      ...store,
      renew: async (identity, ttlMs) => {
        await setup.beforeRenewal?.();
        const answer = await store.renew(identity, ttlMs);
        await setup.afterRenewal?.();
        return answer;
      },
    },
  });
  const living = async () => (await store.view()).members.length;
  return { url, sql, clock, store, membership, lost, late, living };
}

test('an outage of the database that is shorter than a lease is told when it is over', async (t) => {
  let isAway = false;
  let asked = 0;
  const one = await member(t, {
    beforeRenewal: async () => {
      if (isAway) throw new Error('away');
      asked += 1;
    },
  });
  await one.membership.start();
  await one.clock.advance(1_000);
  await eventually(
    () => one.membership.isLate,
    (isLate) => !isLate,
  );
  isAway = true;
  for (let tick = 0; tick < 3; tick += 1) await one.clock.advance(1_000);
  t.true(one.membership.isLate, 'nothing is due meanwhile');
  t.deepEqual(one.late, []);

  isAway = false;
  const before = asked;
  // No further: whatever passes until the answer comes, the next renewal is late by.
  await eventually(
    async () => {
      await one.clock.advance(100);
      return asked;
    },
    (count) => count > before,
  );
  await eventually(() => one.late.length, Boolean);
  t.is(one.late.length, 1);
  t.true((one.late[0] ?? 0) >= 3_000, String(one.late[0]));
  t.false(one.membership.isLate);
  t.deepEqual(one.lost, []);
  await one.membership.leave();
});

// Ejected because nobody can reach it, it would else come back at once and be wanted again.
test('a member that cannot be reached does not join again until it can', async (t) => {
  let isReachable = false;
  const one = await member(t, { mayJoin: () => isReachable });
  await one.membership.start();
  t.is(await one.living(), 1);

  await one.store.eject(one.membership.identity);
  await one.clock.advance(1_000);
  await eventually(() => one.lost.length, Boolean);
  for (let tick = 0; tick < 3; tick += 1) await one.clock.advance(1_000);
  t.is(await one.living(), 0);
  t.true(one.membership.inDoubt());

  isReachable = true;
  await eventually(
    async () => {
      await one.clock.advance(1_000);
      return one.living();
    },
    (count) => count === 1,
  );
  await one.membership.leave();
});

test('a member is connected as long as any connection bears its name, whoever opened it', async (t) => {
  const one = await member(t, {});
  const elsewhere = createSql({
    url: (await testDatabase(t)).url,
    applicationName: 'two-1 commits',
    max: 1,
  });
  t.teardown(() => closeSql(elsewhere));
  await elsewhere`select 1`;
  t.false(await one.store.isConnected('two-1'), 'of another service on the same server');
  const { url } = one;
  const open = (applicationName: string) => createSql({ url, applicationName, max: 1 });
  const commits = open('two-1 commits');
  t.teardown(() => closeSql(commits));
  await commits`select 1`;
  t.true(await one.store.isConnected('two-1'));
  t.false(await one.store.isConnected('two'));
  const leases = open('two-1 leases');
  await leases`select 1`;
  await closeSql(commits);
  t.true(await one.store.isConnected('two-1'));
  await closeSql(leases);
  await eventually(
    () => one.store.isConnected('two-1'),
    (isConnected) => !isConnected,
  );
  t.false(await one.store.isConnected('two-1'));
});

test('a renewal that is answered after the goodbye brings nobody back', async (t) => {
  const held = Promise.withResolvers<void>();
  const one = await member(t, { beforeRenewal: () => held.promise });
  await one.membership.start();
  await one.clock.advance(1_000);

  await one.membership.leave();
  held.resolve();
  await eventually(() => one.lost.length, Boolean);

  // Joining again would have been sent before these.
  for (let look = 0; look < 5; look += 1) t.is(await one.living(), 0);
});

test('answers that are late make the clock of a member no later', async (t) => {
  let answered = 0;
  const lateness: (() => Promise<void>)[] = [];
  const one = await member(t, {
    afterRenewal: async () => {
      await lateness.shift()?.();
      answered += 1;
    },
  });
  await one.membership.start();
  const beforeMs = one.membership.nowMs();
  // The clock of this test stands still but for this: an answer that came two seconds late.
  lateness.push(() => one.clock.advance(2_000));
  void one.clock.advance(1_000);
  await eventually(() => answered, Boolean);
  // Three seconds passed here; by the answer alone it would be as long as this test took in the database.
  const passedMs = one.membership.nowMs() - beforeMs;
  t.true(passedMs >= 3_000, String(passedMs));
  await one.membership.leave();
});

/** Members that join and claim, and learn how long nobody served what they claim. */
async function claims(t: ExecutionContext) {
  const { sql, store } = await member(t, {});
  const [ttlMs, kinds] = [5_000, ['eval']];
  const join = async (memberId: string) => {
    const identity = { memberId, incarnation: randomUUID() };
    await store.join({ ...identity, ttlMs, codeVersion: 1, kinds });
    return identity;
  };
  const epochOf = async (part: number) => {
    const { partitions } = await store.view();
    return partitions.find((row) => row.kind === 'eval' && row.part === part)?.epoch ?? 0;
  };
  const claim = async (part: number, by: Awaited<ReturnType<typeof join>>) =>
    (await store.claim({ kind: 'eval', part }, await epochOf(part), by))?.unservedMs ?? -1;
  return { sql, join, claim };
}

test('who claims a partition learns for how long nobody served it, whoever joined first', async (t) => {
  const { sql, join, claim } = await claims(t);
  const [one, two] = [await join('one'), await join('two')];
  await claim(1, one);
  await claim(2, two);
  await claim(3, two);
  t.is(await claim(1, one), 0, 'its own, taken anew');
  // As after an outage of twenty minutes, after which one comes back first and two's row is gone.
  await sql`update rt.member set lease_until = lease_until - interval '20 minutes'`;

  const again = await join('one');
  const least = 20 * 60_000 - 100;
  for (const part of [1, 2]) {
    const unservedMs = await claim(part, again);
    t.true(unservedMs >= least && unservedMs < least + 600_000, `${part}: ${unservedMs}`);
  }
  const later = await join('two');
  t.true((await claim(3, later)) >= least);
  // Of one that died beside it alone: no more than the lease that ran on.
  await sql`update rt.member set lease_until = rt.wall_clock() - interval '1 second' where member_id = 'two'`;
  const unservedMs = await claim(3, again);
  t.true(unservedMs >= 1_000 && unservedMs < 600_000, String(unservedMs));
});

test('an owner that was marked as dead too early, and lives, was there all the time', async (t) => {
  const { sql, join, claim } = await claims(t);
  const [one, two] = [await join('one'), await join('two')];
  await claim(1, one);
  const gaps = () => sql`select from rt.unserved where kind = 'eval' and part = 1 and epoch > 1`;
  // By who joined in the moment between its renewal and the end of the lease that it renewed.
  await sql`
    update rt.partition set unserved_of = incarnation, unserved_since = rt.wall_clock() - interval '9 days'
    where kind = 'eval' and part = 1`;

  t.is(await claim(1, one), 0);
  t.is((await gaps()).length, 0);
  await sql`
    update rt.member set lease_until = rt.wall_clock() - interval '2 seconds'
    where member_id = 'one'`;
  const ms = await claim(1, two);
  t.true(ms >= 2_000 && ms < 600_000, String(ms));
});

test('a mark that was set too early gives way to the end of the lease, once its member is forgotten', async (t) => {
  const { sql, join, claim } = await claims(t);
  await claim(1, await join('one'));
  await sql`
    update rt.partition set unserved_of = incarnation, unserved_since = rt.wall_clock() - interval '9 days'
    where kind = 'eval' and part = 1`;
  await sql`update rt.member set lease_until = rt.wall_clock() - interval '20 minutes'`;

  const ms = await claim(1, await join('two'));

  t.true(ms >= 20 * 60_000 && ms < 30 * 60_000, String(ms));
});

// It takes the place of its own row, so that nothing else tells of the time between its two lives.
test('a member that is started again knows since when its former self served nobody', async (t) => {
  const { sql, join, claim } = await claims(t);
  await claim(1, await join('one'));
  // Of five seconds, the last time three ago.
  await sql`update rt.member set lease_until = rt.wall_clock() + interval '2 seconds'`;

  const ms = await claim(1, await join('one'));

  t.true(ms >= 3_000 && ms < 600_000, String(ms));
});

test('a partition that newer code has served is none for older code', async (t) => {
  const { sql, join, claim } = await claims(t);
  const one = await join('one');
  await sql`update rt.partition set version_floor = 2 where kind = 'eval' and part = 1`;

  t.is(await claim(1, one), -1);
  t.not(await claim(2, one), -1);
});

// A run may be older than a day, and its limits are moved by all the time in which nobody served it.
test('a time without an owner is known for a month', async (t) => {
  const { sql, join, claim } = await claims(t);
  await claim(1, await join('one'));
  await sql`
    insert into rt.unserved (kind, part, epoch, until, ms)
    select 'eval', 1, -days, rt.clock() - days * interval '1 day', 5000
    from unnest(${[29, 31]}::integer[]) as days`;
  await sql`update rt.member set lease_until = rt.wall_clock() - interval '20 seconds'`;
  await claim(1, await join('two'));

  const rows = await sql<{ epoch: string }[]>`
    select epoch from rt.unserved where kind = 'eval' and part = 1 and epoch < 0`;
  t.deepEqual(
    rows.map(({ epoch }) => Number(epoch)),
    [-29],
  );
});

// Nobody serves while an operator looks at what a failover has lost.
test('the time until a lost history is accepted is time without an owner', async (t) => {
  const { sql, join, claim } = await claims(t);
  await claim(1, await join('one'));
  await sql`update rt.member set lease_until = rt.wall_clock() - interval '40 minutes'`;

  await sql`select rt.advance_mark(interval '0 seconds', 'one')`;
  await sql`select rt.accept_history(0, 0)`;
  await claim(1, await join('two'));

  const [gap] = await sql<{ ms: number }[]>`
    select sum(ms)::float8 as ms from rt.unserved where kind = 'eval' and part = 1 and epoch > 1`;
  t.true((gap?.ms ?? 0) >= 40 * 60_000, String(gap?.ms));
});

test('a lease is renewed while claims wait', async (t) => {
  const { url, sql } = await testDatabase(t);
  const open = (applicationName: string) => {
    const own = createSql({ url, applicationName, role: 'paddock_actor', max: 1 });
    t.teardown(() => closeSql(own));
    return own;
  };
  const store = createMembershipStore(open('claims'), open('leases'));
  const one = { memberId: 'one', incarnation: randomUUID() };
  await store.join({ ...one, ttlMs: 60_000, codeVersion: 1, kinds: ['counter'] });
  const ref = { kind: 'eval', part: 0 };
  const claims = () => store.claimAll([{ ...ref, epoch: 0 }], one);
  const isWaiting = async () =>
    (await sql`select from pg_locks where not granted and locktype in ('tuple', 'transactionid')`)
      .length > 0;

  let claiming: Promise<unknown> | undefined;
  const take: Take = (tx) =>
    tx`select from rt.partition where kind = 'eval' and part = 0 for update`;
  await holdLock(sql, take, async () => {
    claiming = claims();
    await until(isWaiting);
    t.is(typeof (await store.renew(one, 60_000)), 'number');
    t.true(await isWaiting());
  });
  await claiming;
});
