import test from 'ava';
import type { Takeover } from '../../../actors/runtime/partition-actor.ts';
import { counterKind } from '../../support/counter-kind.ts';
import { eventually, startWorld } from '../../support/runtime-world.ts';
import { silentTelemetry } from '../../support/silent-telemetry.ts';

const partitions = 16;
const broken = 3;

// What many partitions are loaded with is read in one go, as the lease manager does it.
test('one partition that cannot be loaded keeps no other from being served', async (t) => {
  const world = await startWorld(partitions);
  t.teardown(() => world.stop());
  const sizes: number[] = [];
  const { host } = await world.host('one', {
    // It does not look again while the test goes on: what is served is served by the first look.
    policy: { placeEveryMs: 60_000 },
    kind: (sql) => {
      const kind = counterKind(sql);
      const readTogether = async ({ parts }: Takeover) => {
        sizes.push(parts.length);
        if (parts.includes(broken)) throw new Error('a row that nobody can read');
      };
      const reads = new WeakMap<Takeover, Promise<void>>();
      return {
        ...kind,
        async activate(part, activation) {
          const { takeover } = activation;
          const read = reads.get(takeover) ?? readTogether(takeover);
          reads.set(takeover, read);
          await read;
          return await kind.activate(part, activation);
        },
      };
    },
  });

  await eventually(
    () => host.partitions().length,
    (count) => count === partitions - 1,
  );

  t.true(sizes.includes(partitions), 'they were read together first');
  t.false(host.isSettled(), 'it is to serve one more than it does');
  t.false(host.partitions().some(({ part }) => part === broken));
  const others = Array.from({ length: partitions }, (_, part) => part).filter((p) => p !== broken);
  const replies = await Promise.all(others.map((part) => world.add(part, `key-${part}`)));
  t.true(replies.every(({ value }) => value === 1));
});

// The alarms go by this number, and so does whoever waits for a new version to have arrived.
test('a partition that is still being loaded does not count as served', async (t) => {
  const world = await startWorld(2);
  t.teardown(() => world.stop());
  const read = new Map<string, () => number | undefined>();
  const loading = Promise.withResolvers<void>();
  const { host } = await world.host('one', {
    telemetry: {
      ...silentTelemetry,
      gauge: (name, value) => {
        read.set(name, value);
        return () => undefined;
      },
    },
    kind: (sql) => {
      const kind = counterKind(sql);
      const activate: typeof kind.activate = async (part, activation) => {
        if (part === 1) await loading.promise;
        return await kind.activate(part, activation);
      };
      return { ...kind, activate };
    },
  });
  const owned = () => read.get('paddock.partition.owned')?.();
  await world.add(0, 'key');

  t.is(owned(), 1);
  t.false(host.isSettled());
  loading.resolve();
  await eventually(owned, (count) => count === 2);
  await eventually(
    () => host.isSettled(),
    (isSettled) => isSettled,
  );
  t.is(host.partitions().length, 2);
});

test('a host that may not claim what is to be served by it is not settled', async (t) => {
  const world = await startWorld(2);
  t.teardown(() => world.stop());
  let isLocked = true;
  const { host } = await world.host('one', {
    between: (members) => ({
      ...members,
      claimAll: async (seen, identity) => {
        if (isLocked && seen.some(({ part }) => part === 1))
          throw new Error('a row that is locked');
        return await members.claimAll(seen, identity);
      },
    }),
  });
  await world.add(0, 'key');

  t.false(host.isSettled());
  isLocked = false;
  await eventually(
    () => host.isSettled(),
    (isSettled) => isSettled,
  );
  t.is(host.partitions().length, 2);
});

// One of before an upgrade may leave a row that only the next version, or an operator, mends.
test('a host is settled again when what it could not load is mended or another’s', async (t) => {
  const world = await startWorld(2);
  t.teardown(() => world.stop());
  let isBroken = true;
  const { host } = await world.host('one', {
    kind: (sql) => {
      const kind = counterKind(sql);
      const activate: typeof kind.activate = async (part, activation) => {
        if (part === 1 && isBroken) throw new Error('a row that nobody can read');
        return await kind.activate(part, activation);
      };
      return { ...kind, activate };
    },
  });
  await world.add(0, 'key');
  await eventually(
    () => host.partitions().length,
    (count) => count === 1,
  );
  t.false(host.isSettled());

  isBroken = false;
  await eventually(
    () => host.isSettled(),
    (isSettled) => isSettled,
  );
  t.is(host.partitions().length, 2);
  await host.drain();
  t.false(host.isSettled(), 'whoever leaves serves nobody');
});
