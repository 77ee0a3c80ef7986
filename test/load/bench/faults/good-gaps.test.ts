import test from 'ava';
import { goodAnswersByKey, longestGaps } from './good-gaps.ts';
import type { Samples } from './streams.ts';

type Row = readonly [key: number, doneMs: number, status: number];

function samplesOf(...rows: readonly Row[]): Samples {
  return {
    key: Float64Array.from(rows, ([key]) => key),
    dueMs: Float64Array.from(rows, ([, doneMs]) => doneMs),
    sentMs: Float64Array.from(rows, ([, doneMs]) => doneMs),
    doneMs: Float64Array.from(rows, ([, doneMs]) => doneMs),
    status: Uint16Array.from(rows, ([, , status]) => status),
  };
}

const asked = { startMs: 0, endMs: 1_000 };

test('a refusal and an answer that never came end no gap', (t) => {
  const samples = samplesOf([7, 100, 200], [7, 200, 503], [7, Infinity, 0], [7, 400, 200]);
  const [gap] = longestGaps(goodAnswersByKey(samples), { fromMs: 150, toMs: 300 }, asked);

  t.deepEqual(gap, { key: 7, fromMs: 100, toMs: 400, ms: 300 });
});

test('answers that come in another order than they were asked are put in order', (t) => {
  const samples = samplesOf([7, 500, 200], [7, 100, 200], [7, 140, 200]);
  const [gap] = longestGaps(goodAnswersByKey(samples), { fromMs: 90, toMs: 130 }, asked);

  t.is(gap?.ms, 100);
});

test('only what touches the span counts, each key for itself', (t) => {
  const samples = samplesOf(
    [1, 10, 200],
    [1, 600, 200],
    [1, 610, 200],
    [1, 999, 200],
    [2, 605, 200],
  );
  const gaps = longestGaps(goodAnswersByKey(samples), { fromMs: 602, toMs: 608 }, asked);

  t.deepEqual(
    gaps.map(({ key, ms }) => [key, ms]),
    [
      [1, 10],
      [2, 605],
    ],
  );
});

test('what nobody answered again is a gap to the end', (t) => {
  const gaps = longestGaps(
    goodAnswersByKey(samplesOf([3, 50, 200], [4, 60, 503])),
    { fromMs: 100, toMs: 200 },
    asked,
  );

  t.deepEqual(
    gaps.map(({ key, ms }) => [key, ms]),
    [
      [3, 950],
      [4, 1_000],
    ],
  );
});
