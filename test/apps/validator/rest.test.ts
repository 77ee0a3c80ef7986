import test from 'ava';
import { restMs } from '../../../apps/validator/rest.ts';

test('nothing to claim, and a first run in vain, cost one idle pause', (t) => {
  t.is(restMs(5, 0), 5_000);
  t.is(restMs(5, 1), 5_000);
});

test('the rest doubles with each run in vain in a row, to ten minutes', (t) => {
  t.deepEqual(
    [2, 3, 4, 8, 9, 1_000].map((inVain) => restMs(5, inVain)),
    [10_000, 20_000, 40_000, 600_000, 600_000, 600_000],
  );
});

test('whoever wants to be asked more seldom than that is', (t) => {
  t.is(restMs(3_600, 50), 3_600_000);
});
