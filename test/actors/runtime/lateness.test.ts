import test from 'ava';
import fc from 'fast-check';
import { Lateness } from '../../../actors/runtime/lateness.ts';

const bounds = { fromMs: 3_000, stepMs: 1_000, maxMs: 30_000 };

test('a wait is made good as it grows, and once while it lasts', (t) => {
  const lateness = new Lateness(bounds);
  const given = [1_000, 2_999, 3_000, 3_999, 4_000, 12_000, 12_000, 12_500].map((waitMs) =>
    lateness.told('a', waitMs, 0),
  );
  t.deepEqual(given, [0, 0, 3_000, 0, 1_000, 8_000, 0, 0]);
});

test('the longest of all edges counts, and no edge adds to another', (t) => {
  const lateness = new Lateness(bounds);
  t.is(lateness.told('a', 5_000, 0), 5_000);
  t.is(lateness.told('b', 5_000, 0), 0);
  t.is(lateness.told('b', 20, 0), 0);
  t.is(lateness.told('b', 7_000, 0), 2_000);
  lateness.forget('b');
  t.is(lateness.told('a', 5_000, 0), 0);
});

test('a wait that grows again after it was short is made good again', (t) => {
  const lateness = new Lateness(bounds);
  t.is(lateness.told('a', 12_000, 0), 12_000);
  t.is(lateness.told('a', 2_000, 1_000), 0);
  t.is(lateness.told('a', 11_000, 2_000), 9_000);
});

test('nobody waits longer for an answer than the longest wait', (t) => {
  const lateness = new Lateness(bounds);
  t.is(lateness.told('a', 3_600_000, 0), 30_000);
  t.is(lateness.told('a', 7_200_000, 600_000), 0);
});

const word = fc.record({
  edge: fc.constantFrom('a', 'b', 'c'),
  waitMs: fc.integer({ min: 0, max: 60_000 }),
  afterMs: fc.integer({ min: 0, max: 20_000 }),
});

test('whatever edges say, deadlines move by half a minute and a tenth of the time at most', (t) => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 200 }), (words) => {
      const lateness = new Lateness(bounds);
      let [nowMs, given] = [0, 0];
      for (const { edge, waitMs, afterMs } of words) {
        nowMs += afterMs;
        given += lateness.told(edge, waitMs, nowMs);
      }
      return given <= bounds.maxMs + nowMs * 0.1 + 1e-6;
    }),
  );
  t.pass();
});
