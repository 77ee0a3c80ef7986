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

const byFamily = <T extends { readonly family: string }>(tasks: readonly T[]) =>
  Map.groupBy(tasks, ({ family }) => family);

test('of a family, what is public goes before what is free, and what is held out stays so', (t) => {
  const property = fc.property(pack, count, fc.string(), (tasks, wanted, seed) => {
    const drawn = drawQualifying(tasks, wanted, seed);
    const allowed = tasks.filter(({ isHeldOut }) => !isHeldOut);
    const known = byFamily(tasks.filter(({ isPublic }) => isPublic));
    const isInOrder = drawn.every(
      (task, index) => index === 0 || tasks.indexOf(task) > tasks.indexOf(drawn[index - 1] ?? task),
    );
    const arePublicFirst = [...byFamily(drawn)].every(([family, members]) => {
      const shown = members.filter(({ isPublic }) => isPublic).length;
      return shown === Math.min(members.length, known.get(family)?.length ?? 0);
    });
    return (
      isInOrder &&
      arePublicFirst &&
      drawn.length === Math.min(wanted, allowed.length) &&
      drawn.every(({ isHeldOut }) => !isHeldOut)
    );
  });
  t.notThrows(() => fc.assert(property));
});

test('a draw is balanced over families, whichever of them is public already', (t) => {
  const property = fc.property(pack, count, fc.string(), (tasks, wanted, seed) => {
    const drawn = byFamily(drawQualifying(tasks, wanted, seed));
    const available = byFamily(tasks.filter(({ isHeldOut }) => !isHeldOut));
    const counts = [...available].map(([family, members]) => ({
      drawn: drawn.get(family)?.length ?? 0,
      available: members.length,
    }));
    const most = Math.max(0, ...counts.map((entry) => entry.drawn));
    return counts.every((entry) => entry.drawn >= most - 1 || entry.drawn === entry.available);
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
