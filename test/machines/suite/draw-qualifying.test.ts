import test from 'ava';
import fc from 'fast-check';
import { drawQualifying } from '../../../machines/suite/draw-qualifying.ts';

const pack = fc
  .array(
    fc.record({
      family: fc.constantFrom('shop', 'voucher', 'product'),
      standing: fc.constantFrom('public', 'held out', 'free'),
    }),
    { maxLength: 60 },
  )
  .map((tasks) =>
    tasks.map(({ family, standing }, index) => ({
      taskId: `task-${index}`,
      family,
      isPublic: standing === 'public',
      isHeldOut: standing === 'held out',
    })),
  );
const count = fc.integer({ min: 0, max: 70 });

test('what is public goes before what is free, and what is held out stays so', (t) => {
  const property = fc.property(pack, count, fc.string(), (tasks, wanted, seed) => {
    const drawn = drawQualifying(tasks, wanted, seed);
    const known = tasks.filter(({ isPublic }) => isPublic).length;
    const allowed = tasks.filter(({ isHeldOut }) => !isHeldOut).length;
    return (
      drawn.length === Math.min(wanted, allowed) &&
      drawn.filter(({ isPublic }) => isPublic).length === Math.min(wanted, known) &&
      drawn.every(({ isHeldOut }) => !isHeldOut) &&
      drawn.every(
        (task, index) =>
          tasks.indexOf(task) > tasks.indexOf(drawn[index - 1] ?? task) || index === 0,
      )
    );
  });
  t.notThrows(() => fc.assert(property));
});

test('a smaller draw is part of a larger one', (t) => {
  const property = fc.property(pack, count, count, fc.string(), (tasks, one, other, seed) => {
    const larger = new Set(drawQualifying(tasks, Math.max(one, other), seed));
    return drawQualifying(tasks, Math.min(one, other), seed).every((task) => larger.has(task));
  });
  t.notThrows(() => fc.assert(property));
});
