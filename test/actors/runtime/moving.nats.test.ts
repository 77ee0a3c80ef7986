import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import test from 'ava';
import type { Host } from '../../../actors/runtime/host.ts';
import type { Activation } from '../../../actors/runtime/partition-actor.ts';
import { defaultPolicy, type RuntimePolicy } from '../../../actors/runtime/policy.ts';
import type { MembershipStore } from '../../../infra/ports/membership-store.ts';
import { createMembershipStore } from '../../../infra/postgres/membership-store.ts';
import { Fault } from '../../../machines/fault.ts';
import { counterKind } from '../../support/counter-kind.ts';
import { audit, startLoad } from '../../support/counter-load.ts';
import { holdLock } from '../../support/held-lock.ts';
import { eventually, startWorld, type World } from '../../support/runtime-world.ts';

// Whatever happens to the hosts, each acknowledged addition is there once: the clients' own counts,
// the rows, the events and the order of the epochs must agree in the end.

const partitions = 8;
/** Half a lease of a minute. Who asks a partition that is lost for good is never answered. */
const answerMs = 30_000;
const children = new Set<ChildProcess>();
let world: World;

test.beforeEach(async () => {
  world = await startWorld(partitions);
});
test.afterEach.always(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  await world.stop();
});

async function startChild(
  memberId: string,
  policy: Partial<RuntimePolicy> = {},
): Promise<ChildProcess> {
  const script = new URL('../../support/counter-process.ts', import.meta.url);
  const { databaseUrl, natsUrl } = world;
  const setup = JSON.stringify({ memberId, databaseUrl, natsUrl, policy });
  const child = fork(script, [setup], { execArgv: [] });
  children.add(child);
  await once(child, 'message');
  return child;
}

const ownedBy = (owner: string) => async () =>
  (await world.owners()).filter((found) => found === owner).length;

test.serial('nothing is lost or doubled while hosts come and go under load', async (t) => {
  const one = await world.host('one');
  await eventually(ownedBy('one'), (count) => count === partitions);
  const load = startLoad(world, { clients: 16, partitions });

  await world.host('two');
  // Rendezvous hashing gives these two names five and three of eight.
  await eventually(ownedBy('two'), (count) => count === 3);
  await eventually(
    () => one.host.partitions().length,
    (count) => count === 5,
  );
  await one.host.drain();
  await eventually(ownedBy('two'), (count) => count === partitions);

  const { acknowledged, slowestMs, commands } = await load.stop();
  t.deepEqual(await audit(world, acknowledged), { wrong: [], epochsBack: 0 });
  t.log(`${commands} commands, slowest ${Math.round(slowestMs)} ms`);
  t.true(slowestMs < answerMs);
});

test.serial(
  'a partition that cannot be locked holds up none that is claimed with it',
  async (t) => {
    const locked = 3;
    const served = async ({ host }: Awaited<ReturnType<World['host']>>, count: number) => {
      const parts = () => host.partitions().map(({ part }) => part);
      return (await eventually(parts, ({ length }) => length === count)).toSorted((a, b) => a - b);
    };
    const all = Array.from({ length: partitions }, (_, part) => part);
    let one: Awaited<ReturnType<World['host']>> | undefined;
    await holdLock(
      world.sql,
      (tx) => tx`select from rt.partition where part = ${locked} for update`,
      async () => {
        one = await world.host('one');
        const others = all.filter((part) => part !== locked);
        t.deepEqual(await served(one, others.length), others);
      },
    );
    if (one !== undefined) t.deepEqual(await served(one, partitions), all);
  },
);

// With a lease of a minute, only the callers who met nobody can have told.
test.serial('a killed host is missed long before its lease ends', async (t) => {
  const victim = await startChild('victim', { leaseMs: 60_000 });
  await eventually(ownedBy('victim'), (count) => count === partitions);
  await world.host('heir');
  await eventually(ownedBy('heir'), (count) => count > 0);
  const load = startLoad(world, { clients: 16, partitions });
  await eventually(
    async () => (await world.sql`select 1 from test_counter`).length,
    (n) => n === 16,
  );

  victim.kill('SIGKILL');
  await eventually(ownedBy('heir'), (count) => count === partitions);

  const { acknowledged, slowestMs, commands } = await load.stop();
  t.deepEqual(await audit(world, acknowledged), { wrong: [], epochsBack: 0 });
  t.log(`${commands} commands, slowest ${Math.round(slowestMs)} ms`);
  t.true(slowestMs < answerMs);
});

// Nobody owns what it was to take, and nobody else takes it while its lease of a minute runs.
test.serial('who dies between joining and claiming holds up no partition', async (t) => {
  const members = createMembershipStore(world.sql);
  await members.join({
    ...{ memberId: 'stillborn', incarnation: randomUUID(), kinds: ['counter'] },
    ...{ ttlMs: 60_000, codeVersion: defaultPolicy.codeVersion },
  });
  await world.host('heir');
  const parts = Array.from({ length: partitions }, (_, part) => part);

  const replies = await Promise.all(parts.map((part) => world.add(part, `key-${part}`)));

  t.deepEqual(new Set(replies.map(({ value }) => value)), new Set([1]));
  t.deepEqual(new Set(await world.owners()), new Set(['heir']));
  t.deepEqual(
    (await members.view()).members.map(({ memberId }) => memberId),
    ['heir'],
  );
});

// Postgres moved to a server whose clock is behind, and leases would end by the one that is ahead.
test.serial(
  'a fresh window is one by the clock that goes on, whatever the claim was told',
  async (t) => {
    const activations: (Activation & { readonly hostNowMs: number })[] = [];
    const behindMs = 600_000;
    let host: Host | undefined;
    const between = (members: MembershipStore): MembershipStore => ({
      ...members,
      claimAll: async (seen, identity) => {
        const claimed = await members.claimAll(seen, identity);
        return claimed.map((each) => ({ ...each, nowMs: each.nowMs - behindMs }));
      },
    });
    const activated = (_: number, activation: Activation) => {
      activations.push({ ...activation, hostNowMs: host?.nowMs() ?? 0 });
    };
    ({ host } = await world.host('one', {
      between,
      kind: (sql) => counterKind(sql, { activated }),
    }));
    await eventually(ownedBy('one'), (count) => count === partitions);
    await eventually(
      () => activations.length,
      (count) => count >= partitions,
    );

    for (const { amnestyUntilMs, hostNowMs } of activations) {
      t.true(amnestyUntilMs(120_000) >= hostNowMs + 120_000);
    }
  },
);

// It is thought dead while it has lost nothing but its way to the callers, and notices at its next look.
for (const [type, told] of [
  ['refuse', 'a refusal'],
  ['found', 'a defect'],
  ['arm', 'what changes nothing'],
] as const) {
  test.serial(`${told} of a host that lost its partition is told to nobody`, async (t) => {
    await world.host('one', { policy: { placeEveryMs: 60_000 } });
    await eventually(ownedBy('one'), (count) => count === partitions);
    await world.add(0, 'key');
    const heir = { memberId: 'heir', incarnation: randomUUID() };
    world.edge.partitions.answerPings(heir.memberId);
    await createMembershipStore(world.sql).join({
      ...heir,
      ...{ kinds: ['counter'], ttlMs: 60_000, codeVersion: defaultPolicy.codeVersion },
    });
    await world.sql`
      update rt.partition
      set owner = ${heir.memberId}, incarnation = ${heir.incarnation}, epoch = epoch + 1
      where part = 0`;

    const command = { id: randomUUID(), type, body: { key: 'key' }, account: 'tester' };
    const target = { kind: 'counter', part: 0 };
    const asked = world.edge.commands.command(target, command, { budgetMs: 600 });

    const fault = await t.throwsAsync(asked, { instanceOf: Fault });
    // The second where the time was over before a host that was slow had looked.
    t.true(['OWNER_UNAVAILABLE', 'OUTCOME_UNKNOWN'].includes(fault.code), fault.code);
  });
}

test.serial('a frozen host loses its partitions and writes nothing when it wakes', async (t) => {
  const victim = await startChild('victim');
  await eventually(ownedBy('victim'), (count) => count === partitions);
  await world.host('heir', { policy: { calmMs: 60_000 } });
  const load = startLoad(world, { clients: 16, partitions });
  await eventually(
    async () => (await world.sql`select 1 from test_counter`).length,
    (n) => n === 16,
  );

  victim.kill('SIGSTOP');
  await eventually(ownedBy('heir'), (count) => count === partitions);
  victim.kill('SIGCONT');
  // Awake, it finds its lease gone and joins with a fresh life.
  const lives = () => world.sql<{ incarnation: string }[]>`
    select incarnation from rt.member
    where member_id = 'victim' and lease_until > clock_timestamp()`;
  await eventually(lives, (rows) => rows.length === 1);

  const { acknowledged, slowestMs, commands } = await load.stop();
  t.deepEqual(await audit(world, acknowledged), { wrong: [], epochsBack: 0 });
  t.log(`${commands} commands, slowest ${Math.round(slowestMs)} ms`);
  t.true(slowestMs < answerMs);
});
