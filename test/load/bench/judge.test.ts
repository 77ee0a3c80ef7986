import test from 'ava';
import fc from 'fast-check';
import { compared, intervalOf, median, read, tierOf } from './judge.ts';

const value = fc.double({ min: 0.001, max: 1000, noNaN: true });
const values = fc.array(value, { minLength: 1, maxLength: 12 });

test('the interval lies within what was measured, around its median', (t) => {
  const property = fc.property(values, (all) => {
    const [low, high] = intervalOf(all);
    return (
      low >= Math.min(...all) &&
      high <= Math.max(...all) &&
      low <= median(all) &&
      median(all) <= high
    );
  });
  t.notThrows(() => fc.assert(property));
});

test('the same rounds have the same interval', (t) => {
  const property = fc.property(values, (all) => {
    const [first, second] = [intervalOf(all), intervalOf([...all])];
    return first[0] === second[0] && first[1] === second[1];
  });
  t.notThrows(() => fc.assert(property));
});

test('one round that chance favoured wins nothing', (t) => {
  const bounds = { must: 3, aim: 4.5, isHigherBetter: true };
  const pairs = [9, 2, 2].map((ours) => ({ ours, theirs: 1 }));

  const figure = compared({
    ...{ goal: 5, what: 'claims', unit: '/s', pairs, to: 'peer', name: 'naive' },
    ...bounds,
  });

  t.is(figure.tier, 'missed');
  t.is(figure.ratio, 2);
  t.deepEqual(figure.peer, { name: 'naive', value: 1 });
});

test('the worse end decides, and the better of two bounds is named', (t) => {
  const more = { must: 3, aim: 4.5, isHigherBetter: true };
  t.is(tierOf([4.5, 9], more), 'goal');
  t.is(tierOf([4.4, 9], more), 'must');
  t.is(tierOf([2.9, 9], more), 'missed');
  const less = { must: 30, aim: 10, isHigherBetter: false };
  t.is(tierOf([1, 10], less), 'goal');
  t.is(tierOf([1, 11], less), 'must');
  t.is(tierOf([1, 31], less), 'missed');
});

test('without a bound there is nothing to miss, and without an aim there is no goal', (t) => {
  t.is(tierOf([1, 2], { isHigherBetter: true }), 'told');
  t.is(tierOf([1, 2], { must: 1, isHigherBetter: true }), 'must');
  t.is(tierOf([1, 2], { aim: 2, isHigherBetter: true }), 'missed');
});

test('what was not measured meets no bound', (t) => {
  const figure = read({
    ...{ goal: 1, what: 'x', unit: 'µs', values: [], must: 5, isHigherBetter: false },
  });
  t.is(figure.tier, 'missed');
});
