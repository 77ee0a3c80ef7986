import test, { type ExecutionContext } from 'ava';
import { EdgeWatch } from '../../../actors/runtime/edge-watch.ts';
import { defaultPolicy } from '../../../actors/runtime/policy.ts';
import type { PartitionBus, Subscription } from '../../../infra/ports/bus.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';

const subscription: Subscription = { close: async () => undefined };

/** A watch on a broker that comes and goes, and what it forgave. */
function world(t: ExecutionContext) {
  const clock = new ManualClock();
  const forgiven: number[] = [];
  const delays: number[] = [];
  let hear: (body: unknown) => void = () => undefined;
  let end: (outageMs: number) => void = () => undefined;
  const broker = { connected: true };
  // All that the watch asks of a bus.
  const bus = {
    onSignal: (_: string, receive: typeof hear) => {
      hear = receive;
      return subscription;
    },
    onOutageEnd: (receive: typeof end) => {
      end = receive;
      return subscription;
    },
    get connected() {
      return broker.connected;
    },
  } as unknown as PartitionBus;
  const watch = new EdgeWatch({
    ...{ bus, clock, log: silentLogger, policy: defaultPolicy },
    onOutageEnd: (outageMs) => forgiven.push(outageMs),
    onDelay: (byMs) => delays.push(byMs),
  });
  watch.start();
  t.teardown(() => watch.stop());
  return {
    ...{ clock, delays, forgiven, watch },
    say: (name: string, isLeaving = false) => hear({ name, isLeaving }),
    sayWait: (name: string, waitMs: number) => hear({ name, isLeaving: false, waitMs }),
    loseBroker: () => {
      broker.connected = false;
    },
    findBroker: (outageMs: number) => {
      broker.connected = true;
      end(outageMs);
    },
  };
}

test('a time without a broker is not forgiven once more for each edge', async (t) => {
  const { clock, findBroker, forgiven, loseBroker, say, watch } = world(t);
  for (const name of ['a', 'b']) say(name);
  forgiven.splice(0);
  loseBroker();
  await clock.advance(10_000);
  t.true(watch.hasEdge);
  // The edges come back to the broker up to as much later as they may be silent.
  findBroker(10_000);
  await clock.advance(2_999);
  for (const name of ['a', 'b']) say(name);
  await clock.advance(2_999);
  t.deepEqual(forgiven, []);
});

test('an edge that died with the broker is missed after its return', async (t) => {
  const { clock, findBroker, forgiven, loseBroker, say } = world(t);
  for (const name of ['a', 'b']) say(name);
  forgiven.splice(0);
  loseBroker();
  await clock.advance(10_000);
  findBroker(10_000);
  await clock.advance(2_000);
  say('a');
  await clock.advance(1_000);
  t.deepEqual(forgiven, [3_000]);
});

test('of a time without edges, the part without a broker is left to the broker', async (t) => {
  const { clock, findBroker, forgiven, loseBroker, say } = world(t);
  say('a');
  say('a', true);
  await clock.advance(4_000);
  loseBroker();
  await clock.advance(10_000);
  // It overtakes the news that there is a broker again.
  say('a');
  t.deepEqual(forgiven, []);
  findBroker(10_000);
  await clock.advance(1_000);
  say('a');
  t.deepEqual(forgiven, [5_000]);
});

test('what callers wait at an edge moves deadlines, and is no outage', async (t) => {
  const { clock, delays, forgiven, say, sayWait } = world(t);
  for (const name of ['a', 'b']) say(name);
  forgiven.splice(0);
  for (const waitMs of [2_999, 3_000, 12_000]) {
    await clock.advance(500);
    sayWait('a', waitMs);
    sayWait('b', waitMs);
  }
  t.deepEqual(delays, [3_000, 9_000]);
  t.deepEqual(forgiven, []);
});

test('a wait ends with its edge', async (t) => {
  const { clock, delays, forgiven, say, sayWait } = world(t);
  for (const name of ['a', 'b']) say(name);
  forgiven.splice(0);
  sayWait('a', 5_000);
  await clock.advance(2_000);
  sayWait('b', 10);
  await clock.advance(1_000);
  t.deepEqual(forgiven, [3_000], 'it fell silent');
  sayWait('b', 4_000);
  say('b', true);
  say('c');
  sayWait('c', 4_000);
  t.deepEqual(delays, [5_000, 3_990, 4_000]);
});
