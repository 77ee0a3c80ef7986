import test from 'ava';
import { RecentSet } from '../../../infra/cache/recent-set.ts';

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const filled = (max: number, count: number) => {
  const set = new RecentSet<number>(max);
  for (const value of upTo(count)) set.add(value);
  return set;
};

test('the last values are held, and fewer than twice as many', (t) => {
  for (const count of upTo(20)) {
    // Another set for each look, for a look counts as a use.
    const held = upTo(count).filter((value) => filled(4, count).has(value));
    t.deepEqual(held.slice(-4), upTo(count).slice(-4));
    t.true(held.length < 8, `${held.length} of ${count}`);
  }
});

test('what is looked at stays, whatever comes', (t) => {
  const set = filled(4, 1);
  for (const value of upTo(100)) {
    t.true(set.has(1), `at ${value}`);
    set.add(value);
  }
  t.false(set.has(50));
});

test('a deleted value is gone from both generations', (t) => {
  const set = filled(4, 6);
  set.delete(2);
  set.delete(6);

  t.deepEqual(
    [2, 3, 6].map((value) => set.has(value)),
    [false, true, false],
  );
});

test('a set without room is a mistake', (t) => {
  t.throws(() => new RecentSet(0), { instanceOf: RangeError });
});
