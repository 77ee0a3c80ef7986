import test from 'ava';
import fc from 'fast-check';
import { type JudgedRun, raceVariance } from '../../../machines/scoring/variance.ts';
import { inAnyOrder } from '../../support/race-fields.ts';

const judged = (agentVersionId: string, validatorHotkey: string, score: number): JudgedRun => ({
  agentVersionId,
  validatorHotkey,
  scoreMicro: Math.round(score * 1_000_000),
});

const worked: readonly JudgedRun[] = [
  judged('A1', 'v1', 0.5),
  judged('A1', 'v2', 0.54),
  judged('A2', 'v1', 0.4),
  judged('A2', 'v2', 0.41),
  judged('A2', 'v3', 0.46),
  judged('A3', 'v2', 0.3),
  judged('A3', 'v2', 0.32),
  judged('A3', 'v3', 0.305),
  judged('A4', 'v1', 0.7),
];

test('spreads are over versions that two validators judged', (t) => {
  const { nPairs, meanSpread, medianSpread, maxSpread, buckets } = raceVariance(worked);

  t.deepEqual(
    [nPairs, meanSpread, medianSpread, maxSpread],
    [3, '0.035000', '0.040000', '0.060000'],
  );
  t.deepEqual(
    buckets.map(({ thresholdPp, count, pct }) => [thresholdPp, count, pct]),
    [
      [1, 2, '66.67'],
      [2, 2, '66.67'],
      [5, 1, '33.33'],
      [10, 0, '0.00'],
    ],
  );
});

test('each validator is compared with the mean of the others', (t) => {
  t.deepEqual(
    raceVariance(worked).validators.map((each) => Object.values(each)),
    [
      ['v1', 2, '-0.037500', '0.002500', '0.450000'],
      ['v2', 3, '0.008333', '0.024608', '0.420000'],
      ['v3', 2, '0.025000', '0.030000', '0.382500'],
    ],
  );
});

test('a race that nobody judged twice has no spread', (t) => {
  const lonely = raceVariance([judged('A', 'v1', 0.5), judged('B', 'v2', 0.4)]);

  t.is(lonely.nPairs, 0);
  t.is(lonely.meanSpread, null);
  t.is(lonely.medianSpread, null);
  t.is(lonely.maxSpread, null);
  t.deepEqual(
    lonely.buckets.map(({ count, pct }) => [count, pct]),
    [
      [0, '0.00'],
      [0, '0.00'],
      [0, '0.00'],
      [0, '0.00'],
    ],
  );
  t.deepEqual(lonely.validators, []);
});

test('a spread that reaches a threshold exactly counts for it', (t) => {
  const counts = (spread: number) =>
    raceVariance([judged('A', 'v1', 0.5), judged('A', 'v2', 0.5 + spread)]).buckets.map(
      ({ count }) => count,
    );

  t.deepEqual(counts(0.05), [1, 1, 1, 0]);
  t.deepEqual(counts(0.049999), [1, 1, 0, 0]);
});

test('variance does not depend on the order of the runs', (t) => {
  const run = fc.record({
    agentVersionId: fc.constantFrom('A', 'B', 'C', 'D'),
    validatorHotkey: fc.constantFrom('v1', 'v2', 'v3', 'v4'),
    scoreMicro: fc.nat(1_000_000),
  });
  const property = fc.property(inAnyOrder(fc.array(run, { maxLength: 20 })), ([runs, others]) => {
    t.deepEqual(raceVariance(others), raceVariance(runs));
  });
  t.notThrows(() => fc.assert(property));
});
