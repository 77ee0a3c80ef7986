import test from 'ava';
import { barsOf, distributionOf } from './distribution.ts';

test('a distribution is told in any order, and of nothing it tells nothing', (t) => {
  const ms = Array.from({ length: 100 }, (_, index) => 99 - index);

  t.deepEqual(distributionOf(ms), {
    count: 100,
    p50Ms: 50,
    p90Ms: 90,
    p99Ms: 99,
    p999Ms: 99,
    maxMs: 99,
  });
  t.is(distributionOf([]).count, 0);
  t.true(Number.isNaN(distributionOf([]).p50Ms));
});

test('bars hold everything once, empty ones between too', (t) => {
  t.deepEqual(barsOf([-3, 0, 4, 31], 10), [
    { to: 10, count: 3 },
    { to: 20, count: 0 },
    { to: 30, count: 0 },
    { to: 40, count: 1 },
  ]);
  t.deepEqual(barsOf([], 10), []);
});
