import test from 'ava';
import fc from 'fast-check';
import { drawTasks } from '../../../machines/suite/draw-tasks.ts';

const pack = fc
  .uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { maxLength: 60 })
  .chain((ids) =>
    fc
      .array(fc.constantFrom('shop', 'voucher', 'product', 'bundle'), {
        minLength: ids.length,
        maxLength: ids.length,
      })
      .map((families) =>
        ids.map((taskId, index) => ({ taskId, family: families[index] ?? 'shop' })),
      ),
  );

test('a draw is balanced over families, complete and free of repeats', (t) => {
  fc.assert(
    fc.property(pack, fc.integer({ min: 0, max: 70 }), fc.string(), (tasks, count, seed) => {
      const drawn = drawTasks(tasks, count, seed);
      const inPack = Map.groupBy(tasks, ({ family }) => family);
      const counts = [...inPack].map(([family, members]) => ({
        drawn: drawn.filter((task) => task.family === family).length,
        available: members.length,
      }));
      const most = Math.max(0, ...counts.map((entry) => entry.drawn));
      return (
        drawn.length === Math.min(count, tasks.length) &&
        new Set(drawn).size === drawn.length &&
        counts.every((entry) => entry.drawn >= most - 1 || entry.drawn === entry.available)
      );
    }),
  );
  t.pass();
});

test('the same seed draws the same tasks whatever the order, another seed draws others', (t) => {
  const tasks = Array.from({ length: 90 }, (_, index) => ({
    taskId: `task-${index}`,
    family: `family-${index % 3}`,
  }));
  const ids = (drawn: readonly { taskId: string }[]) => drawn.map(({ taskId }) => taskId).sort();
  const first = ids(drawTasks(tasks, 30, 'a'));
  t.deepEqual(ids(drawTasks(tasks.toReversed(), 30, 'a')), first);
  t.notDeepEqual(ids(drawTasks(tasks, 30, 'b')), first);
});
