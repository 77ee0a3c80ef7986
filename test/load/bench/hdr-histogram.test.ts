import test from 'ava';
import fc from 'fast-check';
import { HdrHistogram } from './hdr-histogram.ts';

const latency = fc.oneof(
  fc.constantFrom(0.001, 0.00102, 1, 1.02, 1000),
  fc.double({ min: 0.001, max: 100_000, noNaN: true }),
);
const latencies = fc.array(latency, { minLength: 1, maxLength: 200 });

test('a quantile is at most a fortieth above the exact one and never below', (t) => {
  const property = fc.property(
    latencies,
    fc.constantFrom(0.5, 0.9, 0.99, 0.999, 1),
    (all, share) => {
      const ascending = Float64Array.from(all).sort();
      const exact = ascending[Math.ceil(share * all.length) - 1] ?? Number.NaN;
      const told = HdrHistogram.of(all).quantileMs(share);
      return told >= exact * (1 - 1e-9) && told <= exact * 1.025;
    },
  );
  t.notThrows(() => fc.assert(property));
});

test('histograms of several rounds and processes add up', (t) => {
  const property = fc.property(latencies, latencies, (first, second) => {
    const sum = HdrHistogram.of(first).add(new HdrHistogram(HdrHistogram.of(second).counts));
    const all = HdrHistogram.of([...first, ...second]);
    return sum.count === all.count && `${sum.counts}` === `${all.counts}`;
  });
  t.notThrows(() => fc.assert(property));
});

test('of nothing there is no quantile', (t) => {
  t.is(new HdrHistogram().quantileMs(0.5), Number.NaN);
  t.deepEqual(new HdrHistogram().buckets(), []);
});

test('buckets hold every value once, also what is beyond them', (t) => {
  const buckets = HdrHistogram.of([0, 5, 5, 1e12]).buckets();
  t.is(buckets.length, 3);
  t.is(
    buckets.reduce((sum, { count }) => sum + count, 0),
    4,
  );
});
