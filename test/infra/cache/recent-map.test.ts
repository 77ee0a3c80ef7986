import test from 'ava';
import { RecentMap } from '../../../infra/cache/recent-map.ts';

test('a full map drops what was used longest ago', (t) => {
  const map = new RecentMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.get('a');
  map.set('c', 3);

  t.deepEqual([map.get('a'), map.get('b'), map.get('c')], [1, undefined, 3]);
  t.is(map.size, 2);
});

test('setting a key again renews it and takes no second place', (t) => {
  const map = new RecentMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 4);
  map.set('c', 3);

  t.deepEqual([map.get('a'), map.get('b'), map.get('c')], [4, undefined, 3]);
});

test('a deleted key makes room', (t) => {
  const map = new RecentMap<string, number>(1);
  map.set('a', 1);
  map.delete('a');

  t.is(map.get('a'), undefined);
  t.is(map.size, 0);
});

test('a map without room is a mistake', (t) => {
  t.throws(() => new RecentMap(0), { instanceOf: RangeError });
});
