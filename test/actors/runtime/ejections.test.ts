import test from 'ava';
import { Membership } from '../../../actors/runtime/membership.ts';
import { defaultPolicy } from '../../../actors/runtime/policy.ts';
import type {
  ClusterView,
  LiveMember,
  MembershipStore,
} from '../../../infra/ports/membership-store.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';

const other: LiveMember = {
  ...{ memberId: 'other', incarnation: 'other-1', draining: false },
  ...{ codeVersion: 1, kinds: ['counter'] },
};

/** A member beside another one, in a database of which it is thrown out at will. */
async function member() {
  const clock = new ManualClock();
  const waits: number[] = [];
  let isMember = false;
  let hasOther = true;
  let isAway = false;
  let lives = 0;
  const store: Partial<MembershipStore> = {
    join: async () => {
      lives += 1;
      isMember = true;
      return clock.nowMs();
    },
    renew: async () => {
      if (isAway) throw new Error('away');
      return isMember ? clock.nowMs() : undefined;
    },
    view: async (): Promise<ClusterView> => {
      if (isAway) throw new Error('away');
      return { members: hasOther ? [other] : [], partitions: [] };
    },
  };
  const membership = new Membership({
    ...{ memberId: 'one', kinds: ['counter'], newIncarnation: () => `life-${lives}` },
    ...{ clock, policy: defaultPolicy, mayJoin: () => true },
    // Nothing else of it is asked for.
    store: store as MembershipStore,
    log: {
      ...silentLogger,
      warn: (_, fields) => {
        if (fields !== undefined && 'waitMs' in fields) waits.push(Number(fields['waitMs']));
      },
    },
    onLost: () => undefined,
    onJoined: () => undefined,
  });
  await membership.start();
  return {
    ...{ clock, membership, waits },
    lives: () => lives,
    isAlone: () => {
      hasOther = false;
    },
    away: (is: boolean) => {
      isAway = is;
    },
    /** By another one: how long it stayed out, by whole renewals. */
    ejected: async () => {
      const before = lives;
      isMember = false;
      await clock.advance(defaultPolicy.renewEveryMs);
      let outMs = 0;
      for (; lives === before; outMs += 1_000) await clock.advance(1_000);
      return outMs;
    },
    ended: () => {
      isMember = false;
    },
  };
}

test('who is ejected again and again stays out longer each time, and says so', async (t) => {
  const { ejected, waits } = await member();
  const out: number[] = [];
  for (let time = 0; time < 7; time += 1) out.push(await ejected());
  t.deepEqual(out, [0, 5_000, 10_000, 20_000, 20_000, 20_000, 20_000]);
  t.deepEqual(waits, [5_000, 10_000, 20_000, 20_000, 20_000, 20_000]);
});

test('after a calm time it comes back at once again', async (t) => {
  const { clock, ejected } = await member();
  for (let time = 0; time < 4; time += 1) await ejected();
  await clock.advance(5 * 60_000);
  t.is(await ejected(), 0);
  t.is(await ejected(), 5_000);
});

test('whose lease ran out by its own clock was not ejected', async (t) => {
  const { clock, away, ended, lives } = await member();
  for (let time = 1; time <= 5; time += 1) {
    away(true);
    await clock.advance(6_000);
    ended();
    away(false);
    await clock.advance(1_000);
    t.is(lives(), time + 1);
  }
});

test('nobody stays out while there is nobody else', async (t) => {
  const { ejected, isAlone } = await member();
  await ejected();
  isAlone();
  t.is(await ejected(), 0);
});

test('who stays out holds nothing, and does what any process may do', async (t) => {
  const { clock, away, ended, ejected, membership } = await member();
  for (let time = 0; time < 5; time += 1) await ejected();
  ended();
  await clock.advance(10_000);
  t.true(membership.inDoubt());
  t.false(membership.isLapsed);

  away(true);
  await clock.advance(2_000);
  t.true(membership.isLapsed);
  away(false);
  await clock.advance(2_000);
  t.false(membership.isLapsed);
  t.false(membership.isMember);
});

test('a member has lapsed when a lease and a half has passed since the last renewal', async (t) => {
  const { clock, away, membership } = await member();
  await clock.advance(1_000);
  away(true);
  await clock.advance(defaultPolicy.leaseMs * 1.4);
  t.true(membership.inDoubt());
  t.false(membership.isLapsed);
  await clock.advance(defaultPolicy.leaseMs * 0.2);
  t.true(membership.isLapsed);
  away(false);
  await clock.advance(1_000);
  t.false(membership.isLapsed);
});
