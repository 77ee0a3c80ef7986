import test from 'ava';
import type { NatsConnection } from 'nats';
import { OutageWatch } from '../../../infra/nats/outage-watch.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** A connection whose client says what a test has it say. */
function spoken() {
  const waiting: { type: string }[] = [];
  let wake = () => {};
  const info = { server_id: 'one' };
  async function* status() {
    for (;;) {
      for (const each of waiting.splice(0)) yield each;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  const say = async (...types: readonly string[]) => {
    waiting.push(...types.map((type) => ({ type })));
    wake();
    await new Promise(setImmediate);
  };
  return { connection: { info, status } as unknown as NatsConnection, info, say };
}

test('a frozen broker was gone for as long as its silence took to be noticed, and the next one was not', async (t) => {
  const { connection, say } = spoken();
  const clock = new ManualClock();
  const watch = new OutageWatch(connection, clock);
  const outages: number[] = [];
  watch.onEnd((outageMs) => outages.push(outageMs));
  await say('staleConnection', 'disconnect');
  t.false(watch.connected);
  await clock.advance(2_000);
  await say('reconnect');
  await say('disconnect');
  await clock.advance(1_000);
  await say('disconnect', 'reconnect');

  t.true(watch.connected);
  // Three pings of five seconds.
  t.deepEqual(outages, [17_000, 1_000]);
});

test('a broker is new once, however often it is come back to', async (t) => {
  const { connection, info, say } = spoken();
  const watch = new OutageWatch(connection, new ManualClock());
  let starts = 0;
  watch.onNewBroker(() => {
    starts += 1;
  });
  await say('disconnect', 'reconnect');
  t.is(starts, 0);
  info.server_id = 'two';
  await say('disconnect', 'reconnect');
  await say('disconnect', 'reconnect');

  t.is(starts, 1);
});
