import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { connectNats } from '../../../infra/nats/connect.ts';
import { createEdgePeers } from '../../../infra/nats/edge-peers.ts';
import { counterKind } from '../../support/counter-kind.ts';
import { eventually, startWorld, type World } from '../../support/runtime-world.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';

/** They speak every second, and on a machine that stands still all of them are silent. */
const edgeSilenceMs = 5_000;

let world: World;
const extended: number[] = [];
const delayed: number[] = [];

test.before(async () => {
  world = await startWorld(1);
  const one = await world.host('one', {
    kind: (sql) =>
      counterKind(sql, {
        extended: (outageMs) => extended.push(outageMs),
        delayed: (byMs) => delayed.push(byMs),
      }),
    policy: { edgeSilenceMs, outageMinMs: 100 },
    watchesEdges: true,
  });
  await eventually(
    () => one.host.partitions().length,
    (count) => count === 1,
  );
});
test.after.always(() => world.stop());

/** Not those of a machine that stood still for a moment. */
const silences = () => extended.filter((outageMs) => outageMs >= edgeSilenceMs).length;

async function startEdge(name: string, waitMs = () => 0) {
  const connection = await connectNats({ url: world.natsUrl, name });
  const beacon = createEdgePeers({
    ...{ connection, clock: systemClock, log: silentLogger, name, waitMs },
  });
  await beacon.start();
  await connection.flush();
  return {
    leave: async () => {
      await beacon.stop();
      await connection.close();
    },
    // Its sockets are closed by the kernel, and nobody says goodbye.
    die: async () => {
      await connection.close();
      await beacon.stop();
    },
  };
}

const rings = async (key: string) =>
  ((await world.add(0, key, { type: 'peek' })) as { value: number }).value;

test.serial('nothing is overdue while there is no edge', async (t) => {
  await world.add(0, 'early', { type: 'arm' });
  // Ten looks at what is due.
  await sleep(500);
  t.is(await rings('early'), 0);

  const edge = await startEdge('first');
  await eventually(() => rings('early'), Boolean);
  t.true(extended.length >= 1);

  await edge.leave();
});

// A race closes at noon, and ends at its limit.
test.serial('what is nobody’s silence is due while there is no edge', async (t) => {
  const own = await startWorld(1);
  t.teardown(() => own.stop());
  const { host } = await own.host('one', {
    kind: (sql) => ({ ...counterKind(sql), isDueWithoutCallers: true }),
    watchesEdges: true,
  });
  await eventually(
    () => host.partitions().length,
    (count) => count === 1,
  );
  await own.add(0, 'noon', { type: 'arm' });

  const rung = async () => (await own.add(0, 'noon', { type: 'peek' })).value;
  t.truthy(await eventually(rung, Boolean));
});

test.serial(
  'the callers of an edge that died get time, those of one that left do not',
  async (t) => {
    const one = await startEdge('one');
    const two = await startEdge('two');
    const three = await startEdge('three');
    await world.add(0, 'bell', { type: 'arm' });
    await eventually(() => rings('bell'), Boolean);
    const before = silences();

    await two.leave();
    await three.die();
    await eventually(silences, (count) => count > before);
    await one.leave();
    t.is(silences(), before + 1);
  },
);

test.serial('callers that wait at an edge are given that time, and no window', async (t) => {
  let waitMs = 0;
  const edge = await startEdge('slow', () => waitMs);
  await world.add(0, 'slow bell', { type: 'arm' });
  await eventually(() => rings('slow bell'), Boolean);
  const before = silences();
  t.deepEqual(delayed, []);

  waitMs = 5_000;
  await eventually(() => delayed.length, Boolean);
  await edge.leave();
  t.deepEqual(delayed, [5_000]);
  t.is(silences(), before);
});
