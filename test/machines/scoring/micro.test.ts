import test from 'ava';
import fc from 'fast-check';
import { microOfDecimal, microOfNumber } from '../../../machines/scoring/micro.ts';

const rounded: readonly (readonly [number, number])[] = [
  [0, 0],
  [1, 1_000_000],
  [0.25, 250_000],
  [1e-7, 0],
  [5e-7, 0],
  [15e-7, 2],
  [0.0078125, 7812],
  [0.0078135, 7814],
  [0.48345649, 483_456],
  [0.9999996, 1_000_000],
];

for (const [value, micro] of rounded) {
  test(`${value} is ${micro} millionths, a tie going to the even neighbour`, (t) => {
    t.is(microOfNumber(value), micro);
  });
}

test('every whole number of millionths survives the way through a JSON number', (t) => {
  const property = fc.property(fc.integer({ min: 0, max: 1_000_000 }), (micro) => {
    return microOfNumber(JSON.parse(String(micro / 1_000_000))) === micro;
  });
  t.notThrows(() => fc.assert(property));
});

test('a float is never moved by more than half a millionth', (t) => {
  const property = fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (value) => {
    return Math.abs(microOfNumber(value) / 1_000_000 - value) <= 5.000001e-7;
  });
  t.notThrows(() => fc.assert(property));
});

for (const text of [
  '1.0000001',
  '1.000001',
  '-0.1',
  '.5',
  '1e-3',
  '0.',
  'NaN',
  '',
  ' 0.1',
  '0.1234567',
]) {
  test(`"${text}" is no reward`, (t) => {
    t.is(microOfDecimal(text), undefined);
  });
}

test('a decimal text of up to six places is taken exactly', (t) => {
  t.deepEqual(
    ['0', '1', '1.000000', '0.75', '0.000001'].map(microOfDecimal),
    [0, 1_000_000, 1_000_000, 750_000, 1],
  );
});
