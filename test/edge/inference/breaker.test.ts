import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import {
  admit,
  type Breaker,
  type Outcome,
  settle,
  workingBreaker,
} from '../../../apps/edge/inference/breaker.ts';

const policy = { failuresMax: 3, minersMin: 2, restMs: 1000 };

type Step =
  | { readonly kind: 'ask' }
  | { readonly kind: 'wait'; readonly ms: number }
  | {
      readonly kind: 'tell';
      readonly which: number;
      readonly outcome: Outcome;
      readonly minerHotkey: string;
    };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constant({ kind: 'ask' } as const),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 1500 }) }),
  fc.record({
    kind: fc.constant('tell' as const),
    which: fc.nat(),
    minerHotkey: fc.constantFrom('one', 'two', 'three'),
    outcome: fc.constantFrom<Outcome>('good', 'bad', 'bad', 'bad', 'unknown'),
  }),
);

interface History {
  readonly breaker: Breaker;
  readonly nowMs: number;
  /** Sent and not told of yet. */
  readonly open: readonly { readonly isProbe: boolean }[];
}

const begin: History = { breaker: workingBreaker, nowMs: 0, open: [] };

function next(history: History, taken: Step): History & { readonly isAdmitted?: boolean } {
  const { breaker, nowMs, open } = history;
  if (taken.kind === 'wait') return { ...history, nowMs: nowMs + taken.ms };
  if (taken.kind === 'ask') {
    const admittance = admit(breaker, nowMs);
    if (!admittance.isAdmitted) return { ...history, isAdmitted: false };
    const { next: after, isProbe } = admittance;
    return { breaker: after, nowMs, open: [...open, { isProbe }], isAdmitted: true };
  }
  const sent = open[taken.which % Math.max(1, open.length)];
  if (sent === undefined) return history;
  const { outcome, minerHotkey } = taken;
  const told = settle(breaker, { ...sent, outcome, minerHotkey }, { nowMs, policy });
  return { breaker: told, nowMs, open: open.filter((each) => each !== sent) };
}

/** `check` says whether the step was of the kind that it is about; some must be. */
function eachStep(
  t: ExecutionContext,
  check: (before: History, taken: Step, after: ReturnType<typeof next>) => boolean,
) {
  let checked = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 40, maxLength: 80 }), (steps) => {
      let history = begin;
      for (const taken of steps) {
        const after = next(history, taken);
        if (check(history, taken, after)) checked += 1;
        history = after;
      }
    }),
    { seed: 7 },
  );
  t.true(checked > 20, `${checked}`);
}

test('while it is open nobody is let through before its time', (t) => {
  eachStep(t, ({ breaker, nowMs }, taken, after) => {
    if (taken.kind !== 'ask' || breaker.kind !== 'open') return false;
    t.is(after.isAdmitted, nowMs >= breaker.untilMs);
    return true;
  });
});

test('while it is half open exactly one tries', (t) => {
  eachStep(t, (_before, _taken, { breaker, open }) => {
    t.is(open.filter(({ isProbe }) => isProbe).length, breaker.kind === 'half-open' ? 1 : 0);
    return breaker.kind === 'half-open';
  });
});

test('it opens by as many failures in a row as it was told, and not before', (t) => {
  eachStep(t, (before, taken, after) => {
    if (before.breaker.kind !== 'closed' || after.breaker.kind !== 'open') return false;
    t.deepEqual([taken.kind === 'tell' && taken.outcome], ['bad']);
    t.true(before.breaker.failures >= policy.failuresMax - 1);
    return true;
  });
});

test('the failures of one miner alone take the provider from nobody, and open it with another’s', (t) => {
  const failed = (breaker: Breaker, minerHotkey: string) =>
    settle(breaker, { isProbe: false, outcome: 'bad', minerHotkey }, { nowMs: 0, policy });
  let breaker: Breaker = workingBreaker;
  for (let count = 0; count < 100; count += 1) breaker = failed(breaker, 'one');
  t.like(admit(breaker, 0), { isAdmitted: true, isProbe: false });

  t.is(failed(breaker, 'two').kind, 'open');
  // A success of anybody begins the row anew.
  const good = { isProbe: false, outcome: 'good', minerHotkey: 'three' } as const;
  const worked = settle(breaker, good, { nowMs: 0, policy });
  t.is(failed(worked, 'two').kind, 'closed');
});

test('whatever happened, a provider that works again is soon asked as before', (t) => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 40, maxLength: 80 }), (steps) => {
      let history = steps.reduce<History>(next, begin);
      const tellAll = () => {
        while (history.open.length > 0) {
          history = next(history, { kind: 'tell', which: 0, outcome: 'good', minerHotkey: 'one' });
        }
      };
      tellAll();
      history = next(history, { kind: 'wait', ms: policy.restMs });
      history = next(history, { kind: 'ask' });
      tellAll();
      t.deepEqual(history.breaker, workingBreaker);
    }),
  );
});

test('one miner’s tries in a row make for one rest, and another’s for one more', (t) => {
  const tried = (breaker: Breaker, minerHotkey: string) => {
    const admittance = admit(breaker, 0);
    if (!admittance.isAdmitted) throw new Error('it rests');
    const sent = { isProbe: true, outcome: 'bad', minerHotkey } as const;
    return settle(admittance.next, sent, { nowMs: 0, policy });
  };
  const over = (breaker: Breaker) => ({ ...breaker, untilMs: 0 });
  const first = tried({ kind: 'open', untilMs: 0 }, 'one');
  t.like(first, { kind: 'open', untilMs: policy.restMs });
  const second = tried(over(first), 'one');
  t.like(second, { kind: 'open', untilMs: 0 });
  t.like(tried(second, 'one'), { kind: 'open', untilMs: 0 });
  t.like(tried(second, 'two'), { kind: 'open', untilMs: policy.restMs });
});

test('who is turned away hears when to come back', (t) => {
  const open: Breaker = { kind: 'open', untilMs: 5000 };
  t.deepEqual(admit(open, 2000), { isAdmitted: false, waitMs: 3000 });
});

test('after a try whose client left, the next one tries at once', (t) => {
  const left = settle(
    { kind: 'half-open' },
    { isProbe: true, outcome: 'unknown', minerHotkey: 'one' },
    { nowMs: 7, policy },
  );
  t.like(admit(left, 7), { isAdmitted: true, isProbe: true });
});
