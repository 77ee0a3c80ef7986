import test from 'ava';
import { Suspicion } from '../../../actors/runtime/suspicion.ts';
import type { PartitionBus } from '../../../infra/ports/bus.ts';
import type { MembershipStore } from '../../../infra/ports/membership-store.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';

const owner = {
  ...{ memberId: 'owner', incarnation: 'i', draining: false },
  ...{ codeVersion: 1, kinds: ['eval'] },
};
const row = { kind: 'eval', part: 1, epoch: 1, owner: 'owner', incarnation: 'i', versionFloor: 1 };

/** Somebody met nobody at the owner's partition. */
async function suspected(
  pings: ('absent' | 'alive')[],
  isConnected: () => boolean,
  mayJudge = true,
) {
  const clock = new ManualClock();
  const ejected: string[] = [];
  let suspect: (body: unknown) => void = () => undefined;
  const bus: Partial<PartitionBus> = {
    ping: async () => pings.shift() ?? 'absent',
    signal: () => undefined,
    onSignal: (_name, receive) => {
      suspect = receive;
      return { close: async () => undefined };
    },
    onOutageEnd: () => ({ close: async () => undefined }),
  };
  const members: Partial<MembershipStore> = {
    view: async () => ({ members: [owner], partitions: [row] }),
    isConnected: async () => isConnected(),
    eject: async ({ memberId }) => ejected.push(memberId) > 0,
  };
  new Suspicion({
    ...{ memberId: 'other', clock, log: silentLogger, nudge: () => undefined },
    mayJudge: () => mayJudge,
    // Nothing else of them is asked for.
    ...{ bus: bus as PartitionBus, members: members as MembershipStore },
  }).start();
  await clock.advance(10_000);
  suspect({ kind: 'eval', part: 1 });
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 10) await clock.advance(10);
  };
  return { ejected, pass };
}

test('whose connections broker and database have seen end is dead at once', async (t) => {
  const { ejected, pass } = await suspected([], () => false);
  await pass(100);
  t.deepEqual(ejected, ['owner']);
});

test('who is connected to the database gets the time to come back to the broker', async (t) => {
  const returning = await suspected(['absent', 'alive'], () => true);
  await returning.pass(1_000);
  t.deepEqual(returning.ejected, []);

  const staying = await suspected([], () => true);
  await staying.pass(250);
  t.deepEqual(staying.ejected, []);
  await staying.pass(200);
  t.deepEqual(staying.ejected, ['owner']);
});

test('the database is asked until it has noticed as well', async (t) => {
  let asked = 0;
  const { ejected, pass } = await suspected([], () => {
    asked += 1;
    return asked < 3;
  });
  await pass(100);
  t.deepEqual(ejected, ['owner']);
});

test('who answers the broker is alive, whatever the database sees', async (t) => {
  const { ejected, pass } = await suspected(['alive'], () => false);
  await pass(1_000);
  t.deepEqual(ejected, []);
});

test('who was ejected itself ends only the lease of one that is dead to the database as well', async (t) => {
  const alive = await suspected([], () => true, false);
  await alive.pass(1_000);
  t.deepEqual(alive.ejected, []);

  const dead = await suspected([], () => false, false);
  await dead.pass(100);
  t.deepEqual(dead.ejected, ['owner']);
});
