import { createHmac } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { drawRaceTasks } from '../../../machines/race/draw-race-tasks.ts';
import { inAnyOrder } from '../../support/race-fields.ts';

const keyed = (key: string) => (text: string) =>
  createHmac('sha256', key).update(text).digest('hex');

const tasks = Array.from({ length: 120 }, (_, index) => ({
  taskId: `task-${index}`,
  family: `family-${index % 3}`,
  wasRaced: false,
}));

test('a race has its number of tasks, as many of each family', (t) => {
  const drawn = drawRaceTasks(tasks, { count: 60, rank: keyed('race') });

  t.is(new Set(drawn).size, 60);
  const byFamily = Map.groupBy(drawn, ({ family }) => family);
  t.deepEqual(
    [...byFamily.values()].map((members) => members.length),
    [20, 20, 20],
  );
});

test('a pack with fewer tasks gives all that are held out', (t) => {
  t.is(drawRaceTasks(tasks, { count: 500, rank: keyed('race') }).length, 120);
  t.deepEqual(drawRaceTasks([], { count: 5, rank: keyed('race') }), []);
});

test('another race draws other tasks', (t) => {
  const draw = (key: string) =>
    drawRaceTasks(tasks, { count: 30, rank: keyed(key) }).map(({ taskId }) => taskId);

  t.deepEqual(draw('race 1'), draw('race 1'));
  t.notDeepEqual(draw('race 1').toSorted(), draw('race 2').toSorted());
});

test('those that no race had go first, as far as the balance of families allows', (t) => {
  const property = fc.property(fc.subarray(tasks), fc.nat(120), (unraced, count) => {
    const pack = tasks.map((task) => ({ ...task, wasRaced: !unraced.includes(task) }));
    const drawn = drawRaceTasks(pack, { count, rank: keyed('race') });
    const ofFamily = (from: readonly { family: string; wasRaced: boolean }[], family: string) =>
      from.filter((task) => task.family === family && !task.wasRaced).length;
    t.is(new Set(drawn).size, count);
    for (const [family, members] of Map.groupBy(drawn, (task) => task.family)) {
      t.is(ofFamily(drawn, family), Math.min(members.length, ofFamily(pack, family)));
    }
  });
  t.notThrows(() => fc.assert(property));
});

test('any order of the pack draws the same tasks in the same order', (t) => {
  const some = inAnyOrder(fc.subarray(tasks));
  const property = fc.property(some, fc.nat(100), ([pack, shuffled], count) => {
    const draw = { count, rank: keyed('race') };
    t.deepEqual(drawRaceTasks(shuffled, draw), drawRaceTasks(pack, draw));
  });
  t.notThrows(() => fc.assert(property));
});
