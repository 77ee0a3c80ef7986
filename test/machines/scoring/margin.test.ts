import test from 'ava';
import fc from 'fast-check';
import { type MarginPolicy, marginAfter } from '../../../machines/scoring/margin.ts';
import { aPolicy } from '../../support/race-fields.ts';

const dayMs = 86_400_000;

const worked: readonly (readonly [number, string])[] = [
  [0, '0.0100'],
  [0.73, '0.0095'],
  [10, '0.0050'],
  // 0.0025 and 0.00125: the latter a tie, exactly, and 12 is even.
  [20, '0.0025'],
  [30, '0.0012'],
  [40, '0.0006'],
  [3650, '0.0000'],
];

for (const [days, margin] of worked) {
  test(`after ${days} days a challenger needs ${margin} more than the top`, (t) => {
    t.is(marginAfter(days * dayMs, aPolicy), margin);
  });
}

test('the margin never falls below its floor', (t) => {
  const policy = { ...aPolicy, marginFloorMicro: 4_000 };

  t.is(marginAfter(0, policy), '0.0100');
  t.is(marginAfter(10 * dayMs, policy), '0.0070');
  t.is(marginAfter(100_000 * dayMs, policy), '0.0040');
});

test('a reign that seems to begin later than now has the initial margin', (t) => {
  t.is(marginAfter(-1, aPolicy), '0.0100');
});

const policies: fc.Arbitrary<MarginPolicy> = fc
  .record({
    floor: fc.nat(200_000),
    decay: fc.nat(800_000),
    marginHalfLifeMs: fc.integer({ min: 1, max: 100 * dayMs }),
  })
  .map(({ floor, decay, marginHalfLifeMs }) => {
    const marginInitialMicro = floor + decay;
    return { marginFloorMicro: floor, marginInitialMicro, marginHalfLifeMs };
  });
const reign = fc.nat(400 * dayMs);

test('a margin falls, or stays, as a reign lasts', (t) => {
  const property = fc.property(policies, reign, reign, (policy, one, other) => {
    const [shorter, longer] = [Math.min(one, other), Math.max(one, other)];
    return marginAfter(shorter, policy) >= marginAfter(longer, policy);
  });
  t.notThrows(() => fc.assert(property));
});

test('a margin is within its rounding of what floats say', (t) => {
  const property = fc.property(policies, reign, (policy, reignMs) => {
    const { marginFloorMicro: floor, marginInitialMicro, marginHalfLifeMs } = policy;
    const micro = floor + (marginInitialMicro - floor) * 2 ** (-reignMs / marginHalfLifeMs);
    return Math.abs(Number(marginAfter(reignMs, policy)) - micro / 1e6) <= 0.000_050_001;
  });
  t.notThrows(() => fc.assert(property));
});

test('a margin just above a tie is rounded up, one just below it down', (t) => {
  // 0.00125 at three half-lives; a millisecond of ten days moves it by some 10^-12.
  t.is(marginAfter(30 * dayMs - 1, aPolicy), '0.0013');
  t.is(marginAfter(30 * dayMs + 1, aPolicy), '0.0012');
  const odd = { ...aPolicy, marginInitialMicro: 300 };
  t.deepEqual(
    [-1, 0, 1].map((ms) => marginAfter(10 * dayMs + ms, odd)),
    ['0.0002', '0.0002', '0.0001'],
  );
});
