import test from 'ava';
import { RecentMap } from '../../../infra/cache/recent-map.ts';

test('what was used last is kept, and no more than twice as much', (t) => {
  const map = new RecentMap<number, number>(10);
  const kept = () => Array.from({ length: 100 }, (_, key) => key).filter((key) => map.has(key));
  for (let key = 0; key < 100; key++) {
    map.set(key, key);
    // A use as good as the first.
    map.get(0);
    map.set(1, -key);
    const lately = Array.from({ length: 8 }, (_, back) => Math.max(0, key - back));
    t.deepEqual(
      lately.filter((one) => !map.has(one)),
      [],
    );
    t.true(map.has(0));
    t.true(kept().length <= 20);
  }
  t.is(map.get(1), -99);
  t.is(map.get(50), undefined);
});

test('a deleted key is gone, also when an earlier value of it was set aside', (t) => {
  const map = new RecentMap<string, number>(1);
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 3);
  t.is(map.get('a'), 3);
  map.delete('a');
  t.is(map.get('a'), undefined);
});

test('a map without room is a mistake', (t) => {
  t.throws(() => new RecentMap(0), { instanceOf: RangeError });
});
