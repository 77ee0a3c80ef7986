import test from 'ava';
import fc from 'fast-check';
import { betterHalf, tt } from '../../../apps/verify/live/race-arithmetic.ts';
import { anchorOf } from '../../../machines/scoring/anchor.ts';
import { rootHalfEven } from '../../../machines/scoring/exact.ts';
import { inAnyOrder, rawScore } from '../../support/race-fields.ts';

test('the anchor of six finishers is the mean and the deviation of the best three', (t) => {
  const raw = ['0.6000', '0.5500', '0.5000', '0.4500', '0.4000', '0.3500'];

  t.deepEqual(anchorOf(raw), { mean: '0.5500', std: '0.0408' });
});

const halves: readonly (readonly [string, readonly string[], string, string])[] = [
  ['a single finisher', ['0.4800'], '0.4800', '0.0000'],
  ['two finishers is the better one', ['0.1000', '0.9000'], '0.9000', '0.0000'],
  ['three finishers is the best one', ['0.1000', '0.5000', '0.9000'], '0.9000', '0.0000'],
  ['equal finishers', ['0.3333', '0.3333', '0.3333', '0.3333'], '0.3333', '0.0000'],
  ['zeros', ['0.0000', '0.0000'], '0.0000', '0.0000'],
  // 0.50005 to the even neighbour; the deviation is 0.00005, to 0.0000.
  ['a tie', ['0.5001', '0.5000', '0.0000', '0.0000'], '0.5000', '0.0000'],
  ['an odd tie', ['0.5002', '0.5001', '0.0000', '0.0000'], '0.5002', '0.0000'],
];

for (const [whose, raw, mean, std] of halves) {
  test(`the anchor of ${whose} is ${mean} and ${std}`, (t) => {
    t.deepEqual(anchorOf(raw), { mean, std });
  });
}

test('a race without finishers has no anchor', (t) => {
  t.is(anchorOf([]), null);
});

test('an anchor is what another computation of it says, in any order', (t) => {
  const field = inAnyOrder(fc.array(rawScore, { minLength: 1, maxLength: 40 }));
  const property = fc.property(field, ([scores, shuffled]) => {
    const anchor = anchorOf(scores);
    const expected = betterHalf(scores.map(tt));
    t.deepEqual(anchorOf(shuffled), anchor);
    t.is(tt(anchor?.mean ?? ''), expected.mean);
    // Floats cannot tell a tie; they do tell a wrong rounding.
    t.true(Math.abs(Number(anchor?.std) - expected.deviation) <= 0.000_050_001);
  });
  t.notThrows(() => fc.assert(property));
});

test('a root is rounded to its nearest integer, a tie to the even one', (t) => {
  t.is(rootHalfEven(1n, 4n), 0n);
  t.is(rootHalfEven(9n, 4n), 2n);
  t.is(rootHalfEven(25n, 4n), 2n);
  t.is(rootHalfEven(10n ** 20n + 1n, 4n * 10n ** 20n), 1n);
  const property = fc.property(fc.bigInt(0n, 10n ** 12n), fc.bigInt(1n, 1000n), (value, over) => {
    const twice = 2n * rootHalfEven(value, over);
    // (root − 1/2)² ≤ value ÷ over ≤ (root + 1/2)²
    return (
      (twice + 1n) ** 2n * over >= 4n * value &&
      (twice === 0n || (twice - 1n) ** 2n * over <= 4n * value)
    );
  });
  t.notThrows(() => fc.assert(property));
});
