import test from 'ava';
import fc from 'fast-check';
import { GrowingSet } from '../../../actors/lease-manager/growing-set.ts';

// A batch that fails goes back to what was durable: sets are grown from any earlier one, in any order,
// and each has to hold what it was made of, whatever became of the others.
test('a set that was grown is left as it was, whichever of its descendants are grown further', (t) => {
  const step = fc.record({ from: fc.nat(), value: fc.constantFrom('a', 'b', 'c', 'd', 'e') });
  const property = fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
    const sets = [{ set: GrowingSet.of<string>([]), model: new Set<string>() }];
    for (const { from, value } of steps) {
      const { set, model } = sets[from % sets.length] ?? sets[0] ?? t.fail();
      sets.push({ set: set.with(value), model: new Set([...model, value]) });
    }
    for (const { set, model } of sets) {
      if (set.size !== model.size) return false;
      if (['a', 'b', 'c', 'd', 'e'].some((value) => set.has(value) !== model.has(value)))
        return false;
    }
    return true;
  });
  t.notThrows(() => fc.assert(property));
});

test('a set begins with what was stored', (t) => {
  const set = GrowingSet.of(['a', 'b', 'a']);

  t.is(set.size, 2);
  t.true(set.has('b'));
  t.false(set.has('c'));
});
