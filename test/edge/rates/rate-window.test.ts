import test from 'ava';
import fc from 'fast-check';
import { RateWindow } from '../../../apps/edge/rates/rate-window.ts';

const windowMs = 60_000;

test('a minute holds so many takes of one key, and tells when the next one comes', (t) => {
  let nowMs = 1_000_000;
  const window = new RateWindow(3, { monotonicMs: () => nowMs });
  for (const gapMs of [0, 10_000, 10_000]) {
    nowMs += gapMs;
    t.is(window.take('a'), 0);
  }
  t.is(window.take('a'), 40_000);
  t.is(window.take('b'), 0);
  nowMs += 39_999;
  t.is(window.take('a'), 1);
  nowMs += 1;
  t.is(window.take('a'), 0);
  t.is(window.take('a'), 10_000);
});

test('no minute holds more than the limit, and none less than was asked for', (t) => {
  const gaps = fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 60 });
  fc.assert(
    fc.property(gaps, fc.integer({ min: 1, max: 5 }), (gapsMs, limit) => {
      let nowMs = 0;
      const window = new RateWindow(limit, { monotonicMs: () => nowMs });
      const passedMs: number[] = [];
      for (const gapMs of gapsMs) {
        nowMs += gapMs;
        const within = passedMs.filter((atMs) => atMs > nowMs - windowMs);
        const seenMs = window.look('key');
        const waitMs = window.take('key');
        t.is(seenMs, waitMs);
        if (within.length < limit) t.is(waitMs, 0);
        else t.is(waitMs, (within[0] ?? Number.NaN) + windowMs - nowMs);
        if (waitMs === 0) passedMs.push(nowMs);
      }
    }),
  );
});

test('a key is not forgotten over the 100,000 that ask after it', (t) => {
  let nowMs = 0;
  const window = new RateWindow(1, { monotonicMs: () => nowMs });
  const ask = (key: string) => {
    nowMs += 0.1;
    return window.take(key);
  };
  ask('first');
  for (let other = 0; other < 99_998; other++) ask(`${other}`);
  t.true(ask('first') > 0);
  for (let other = 0; other < 99_998; other++) ask(`again ${other}`);
  t.true(ask('first') > 0);
  nowMs += windowMs - 1;
  t.is(window.take('another'), 0);
  t.true(window.take('again 99997') > 0);
});

test('a flood from more addresses than are kept costs each of them as little as the first', (t) => {
  let nowMs = 0;
  const window = new RateWindow(100, { monotonicMs: () => nowMs++ / 100 });
  const before = process.cpuUsage();
  for (let address = 0; address < 300_000; address++) window.take(`2001:db8:${address}::/64`);
  // A second or two; when the oldest key was looked for each time, three quarters of a minute.
  t.true(process.cpuUsage(before).user < 15_000_000);
});
