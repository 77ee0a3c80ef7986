import test from 'ava';
import type { Unavailability } from './availability.ts';
import { slowness } from './slowness.ts';

const row = (worstAloneMs: number | null, targetMs: number | null): Unavailability => {
  return {
    ...{ kind: 'kill edge', faults: 1, alone: 1, medianMs: 1, worstMs: 60_000 },
    ...{ worstAloneMs, targetMs },
  };
};
const inTime = { worstLateMs: 1_900 };

test('a takeover that takes half as long again as promised is too slow', (t) => {
  t.deepEqual(slowness([row(4_501, 3_000)], inTime, 600), [
    'slow takeover: after kill edge 4501 ms, more than 4500',
  ]);
  t.deepEqual(slowness([row(4_499, 3_000)], inTime, 600), []);
});

test('work that is offered again two seconds late is too slow', (t) => {
  t.deepEqual(slowness([], { worstLateMs: 2_001 }, 600), [
    'slow reclaim: after the end of a lease 2001 ms, more than 2000',
  ]);
});

test('what nobody promised, what met another fault, and a short run are not judged', (t) => {
  t.deepEqual(slowness([row(60_000, null), row(null, 3_000)], { worstLateMs: null }, 600), []);
  t.deepEqual(slowness([row(60_000, 3_000)], { worstLateMs: 60_000 }, 599), []);
});
