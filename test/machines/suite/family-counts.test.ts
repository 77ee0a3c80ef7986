import test from 'ava';
import { familyCountsOf } from '../../../machines/suite/family-counts.ts';

test('families are counted by their names, whatever these mean elsewhere', (t) => {
  const families = ['shop', 'constructor', 'shop', 'toString'];
  const counts = familyCountsOf(families.map((family) => ({ family })));
  t.deepEqual(counts, { shop: 2, constructor: 1, toString: 1 } as unknown as typeof counts);
});
