import test from 'ava';
import type { Unavailability } from './availability.ts';
import { figuresOf, gradeOf, slowness, withinTargets } from './slowness.ts';

const row = (worstAloneMs: number | null, targetMs: number | null): Unavailability => {
  return {
    ...{ kind: 'kill edge', faults: 1, alone: 1, medianMs: 1, worstMs: 60_000 },
    ...{ worstAloneMs, targetMs },
  };
};
const takeover = (ms: number) => figuresOf([row(ms, 3_000)], { worstLateMs: null });
const reclaim = (worstLateMs: number) => figuresOf([], { worstLateMs });

test('a takeover that takes half as long again as promised is too slow', (t) => {
  t.deepEqual(slowness(takeover(4_501), 600), [
    'too slow: takeover after kill edge, 4501 ms, more than 4500',
  ]);
  t.deepEqual(slowness(takeover(4_499), 600), []);
});

test('work that is offered again two seconds late is too slow', (t) => {
  t.deepEqual(slowness(reclaim(2_001), 600), ['too slow: reclaim, 2001 ms, more than 2000']);
  t.deepEqual(slowness(reclaim(1_900), 600), []);
});

test('what nobody promised, what met another fault, and a short run are not judged', (t) => {
  t.deepEqual(figuresOf([row(60_000, null), row(null, 3_000)], { worstLateMs: null }), []);
  t.deepEqual(slowness(takeover(60_000), 599), []);
});

test('each figure is within its target, within the slack or beyond it', (t) => {
  const grades = [3_000, 3_001, 4_500, 4_501].flatMap((ms) => takeover(ms).map(gradeOf));

  t.deepEqual(grades, [
    'within the target',
    'within the slack',
    'within the slack',
    'beyond the slack',
  ]);
});

test('a proof says which of its targets it missed, and what it was too short to judge', (t) => {
  t.is(
    withinTargets([...takeover(2_900), ...reclaim(900)], 600),
    'within every target that was measured',
  );
  t.is(
    withinTargets([...takeover(3_400), ...reclaim(900)], 600),
    'missed its target, within the slack: takeover after kill edge (3.4 s of 3 s)',
  );
  t.is(
    withinTargets([...takeover(5_442), ...reclaim(1_200)], 180),
    'missed its target, within the slack: reclaim (1.2 s of 1 s); ' +
      'too slow, and not judged in less than 10 minutes: takeover after kill edge (5.4 s of 3 s)',
  );
});
