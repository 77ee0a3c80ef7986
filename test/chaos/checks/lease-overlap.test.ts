import test from 'ava';
import { type Hold, overlaps } from './lease-overlap.ts';

const hold = (evalRunId: string, fromMs: number, untilMs: number): Hold => {
  return { evalRunId, workItemId: 'w', fromMs, untilMs };
};

test('as many leases may live at once as a work item has slots', (t) => {
  const holds = [hold('a', 0, 10), hold('b', 5, 15), hold('c', 10, 20)];
  t.deepEqual(
    overlaps(holds, () => 2),
    [],
  );
});

test('one lease more is found at the moment of its claim', (t) => {
  const holds = [hold('a', 0, 10), hold('b', 5, 15), hold('c', 9, 20)];
  t.deepEqual(
    overlaps(holds, () => 2),
    ['3 slots of w were held at 9: a, b, c'],
  );
});

test('an included success holds its slot for ever', (t) => {
  const holds = [hold('a', 0, Number.POSITIVE_INFINITY), hold('b', 1_000, 1_001)];
  t.is(overlaps(holds, () => 1).length, 1);
});
