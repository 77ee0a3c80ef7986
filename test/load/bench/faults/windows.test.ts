import test from 'ava';
import type { Samples } from './streams.ts';
import { factorAt, recoveredAfterMs, windowFigures } from './windows.ts';

type Row = readonly [dueMs: number, tookMs: number, status: number];

function samplesOf(...rows: readonly Row[]): Samples {
  return {
    key: Float64Array.from(rows, () => 0),
    dueMs: Float64Array.from(rows, ([dueMs]) => dueMs),
    sentMs: Float64Array.from(rows, ([dueMs]) => dueMs),
    doneMs: Float64Array.from(rows, ([dueMs, tookMs]) => dueMs + tookMs),
    status: Uint16Array.from(rows, ([, , status]) => status),
  };
}

test('a schedule goes from phase to phase and stays in the last one', (t) => {
  const phases = [
    { seconds: 1, factor: 1 },
    { seconds: 2, factor: 5 },
    { seconds: 1, factor: 2 },
  ];

  t.deepEqual(
    [0, 999, 1_000, 2_999, 3_000, 9_000].map((ms) => factorAt(phases, ms)),
    [1, 1, 5, 5, 2, 2],
  );
  t.is(factorAt([], 7), 1);
});

test('a window has what was due in it, whenever it was answered', (t) => {
  const samples = samplesOf(
    [99, 1, 200],
    [100, 500, 200],
    [150, 3, 503],
    [160, Number.POSITIVE_INFINITY, 0],
    [200, 1, 200],
  );
  const found = windowFigures([samples, samplesOf([120, 9, 204])], { fromMs: 100, toMs: 200 });

  t.like(found, { offered: 4, good: 2, shed: 1, lateP99Ms: 0 });
  t.deepEqual([found.goodMs.maxMs, found.shedMs.maxMs], [500, 3]);
});

const second = { fromMs: 0, toMs: 2_000 };

test('all is normal again behind the last half second that was not', (t) => {
  const calm: Row[] = [
    [1_100, 4, 200],
    [1_600, 5, 200],
  ];

  t.is(recoveredAfterMs([samplesOf([10, 5, 200], [600, 5, 200], ...calm)], second, 5), 0);
  t.is(recoveredAfterMs([samplesOf([10, 50, 200], [600, 5, 200], ...calm)], second, 5), 500);
  t.is(recoveredAfterMs([samplesOf([10, 50, 200], [600, 5, 503], ...calm)], second, 5), 1_000);
});

test('what is not normal at the end never was again', (t) => {
  t.is(recoveredAfterMs([samplesOf([10, 5, 200], [1_900, 6, 200])], second, 5), 2_000);
});
