import test from 'ava';
import { lookEvery, unlessEndedWithin } from '../../../infra/clock/backstop.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';

test('the wall clock is the host’s, the monotonic one never goes back', (t) => {
  const before = systemClock.monotonicMs();

  t.true(Math.abs(systemClock.nowMs() - Date.now()) < 1_000);
  t.true(systemClock.monotonicMs() >= before);
});

test('a sleep lasts as long as it was asked to', async (t) => {
  const startedMs = performance.now();

  await systemClock.sleep(20);

  // A timer counts in whole milliseconds and may come a fraction of one early.
  t.true(performance.now() - startedMs >= 19);
});

// The runtime's timers would take a month for a millisecond.
test('a month lasts longer than a millisecond', async (t) => {
  const abort = new AbortController();
  const [monthMs, order] = [31 * 86_400_000, [] as string[]];
  const month = systemClock.sleep(monthMs, abort.signal).then(() => order.push('a month'));
  const stop = systemClock.every(monthMs, () => void order.push('every month'));
  unlessEndedWithin(monthMs, () => order.push('within a month'));
  const stopLooking = lookEvery(monthMs, () => order.push('a look a month'));

  await systemClock.sleep(50);
  order.push('a moment');
  abort.abort();
  await month;
  stop();
  stopLooking();

  t.deepEqual(order, ['a moment', 'a month']);
});

test('an abort ends a sleep at once', async (t) => {
  const abort = new AbortController();
  const sleep = systemClock.sleep(60_000, abort.signal);

  abort.abort();

  await t.notThrowsAsync(sleep);
  await t.notThrowsAsync(systemClock.sleep(60_000, abort.signal));
});

test('a slow tick never overlaps itself', async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let [running, runningMax, ticks] = [0, 0, 0];
  const stop = systemClock.every(1, async () => {
    running += 1;
    runningMax = Math.max(runningMax, running);
    await systemClock.sleep(5);
    running -= 1;
    ticks += 1;
    if (ticks === 5) resolve();
  });

  await promise;
  stop();

  t.is(runningMax, 1);
});

test('ticks go on after one that failed', async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const warned = new Promise<Error>((seen) => process.once('warning', seen));
  let ticks = 0;
  const stop = systemClock.every(1, () => {
    ticks += 1;
    if (ticks === 1) throw new Error('planted');
    resolve();
  });

  await promise;
  stop();

  t.is((await warned).message, 'planted');
});

test('no tick comes after the stop', async (t) => {
  let ticks = 0;
  const stop = systemClock.every(5, () => {
    ticks += 1;
  });

  stop();
  await systemClock.sleep(20);

  t.is(ticks, 0);
});
