import test from 'ava';
import { outcomeOf, verdictOf } from './outcome.ts';
import type { Verdict } from './verdict.ts';

const mutant = { signs: ['INV-11', 'INV-13'] } as const;

function verdict(...invariants: string[]): Verdict {
  const violations = invariants.map((invariant) => ({ invariant, text: 'a row', step: 3 }));
  return { seeds: 1, steps: 9, violations };
}

function told(code: number | string | null, out: string, err = '') {
  return outcomeOf(mutant, verdictOf({ code, out, err }));
}

test('a defect is seen when one of its signs is, whatever else is', (t) => {
  const seen = told(0, `loading\n${JSON.stringify(verdict('INV-01', 'INV-13'))}\n`);

  t.is(seen.kind, 'seen');
  t.is(seen.kind === 'seen' ? seen.sign.invariant : '', 'INV-13');
});

test('a world in which nothing is wrong has not seen it', (t) => {
  t.deepEqual(told(0, JSON.stringify(verdict())), {
    kind: 'survived',
    told: 'nothing was wrong',
  });
});

test('another rule that is broken is no sign of it, nor is one of a like name', (t) => {
  t.like(told(0, JSON.stringify(verdict('INV-01'))), {
    kind: 'survived',
    told: 'only INV-01 a row',
  });
  t.is(told(0, JSON.stringify(verdict('INV-1', 'SIM'))).kind, 'survived');
});

test('a world that crashed has seen nothing, whatever it said before', (t) => {
  t.like(told(1, '', 'Error: out\nof memory'), {
    kind: 'not tried',
    told: 'ended with 1: Error: out | of memory',
  });
  t.is(told(1, JSON.stringify(verdict('INV-11'))).kind, 'not tried');
  t.is(told('SIGTERM', JSON.stringify(verdict('INV-11'))).kind, 'not tried');
  t.is(told(0, '').kind, 'not tried');
});
