import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import {
  type Admitted,
  admit,
  type Breaker,
  type Outcome,
  settle,
  workingBreaker,
} from '../../../apps/edge/inference/breaker.ts';

const policy = { failuresMax: 3, minersMin: 2, restMs: 1000 };

type Step =
  | { readonly kind: 'ask'; readonly minerHotkey: string }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'tell'; readonly which: number; readonly outcome: Outcome };

const minerHotkey = fc.constantFrom('one', 'two', 'three');

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('ask' as const), minerHotkey }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 1500 }) }),
  fc.record({
    kind: fc.constant('tell' as const),
    which: fc.nat(),
    outcome: fc.constantFrom<Outcome>('good', 'bad', 'bad', 'bad', 'unknown'),
  }),
);

interface History {
  readonly breaker: Breaker;
  readonly nowMs: number;
  /** Sent and not told of yet. */
  readonly open: readonly Admitted[];
}

const begin: History = { breaker: workingBreaker, nowMs: 0, open: [] };

function next(history: History, taken: Step): History & { readonly isAdmitted?: boolean } {
  const { breaker, nowMs, open } = history;
  if (taken.kind === 'wait') return { ...history, nowMs: nowMs + taken.ms };
  if (taken.kind === 'ask') {
    const admittance = admit(breaker, taken.minerHotkey, nowMs);
    if (!admittance.isAdmitted) return { ...history, isAdmitted: false };
    const { next: after, admitted } = admittance;
    return { breaker: after, nowMs, open: [...open, admitted], isAdmitted: true };
  }
  const sent = open[taken.which % Math.max(1, open.length)];
  if (sent === undefined) return history;
  const told = settle(breaker, sent, { outcome: taken.outcome, nowMs, policy });
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
    if (taken.kind !== 'ask' || breaker.kind !== 'open' || nowMs >= breaker.untilMs) return false;
    t.false(after.isAdmitted);
    return true;
  });
});

test('while it is open no miner tries twice at a time', (t) => {
  eachStep(t, (_before, taken, { breaker, open, isAdmitted }) => {
    if (taken.kind !== 'ask' || breaker.kind !== 'open' || isAdmitted !== true) return false;
    const own = open.filter((each) => each.minerHotkey === taken.minerHotkey);
    const since = own.flatMap(({ triesSinceMs = -1 }) =>
      triesSinceMs >= breaker.untilMs ? [triesSinceMs] : [],
    );
    t.is(since.length, 1);
    return true;
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
  const of = (hotkey: string) => ({ minerHotkey: hotkey, triesSinceMs: undefined });
  const failed = (breaker: Breaker, hotkey: string) =>
    settle(breaker, of(hotkey), { outcome: 'bad', nowMs: 0, policy });
  let breaker: Breaker = workingBreaker;
  for (let count = 0; count < 100; count += 1) breaker = failed(breaker, 'one');
  t.like(admit(breaker, 'one', 0), { isAdmitted: true });

  t.is(failed(breaker, 'two').kind, 'open');
  // A success of anybody begins the row anew.
  const worked = settle(breaker, of('three'), { outcome: 'good', nowMs: 0, policy });
  t.is(failed(worked, 'two').kind, 'closed');
});

test('whatever happened, a provider that works again is soon asked as before', (t) => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 40, maxLength: 80 }), (steps) => {
      let history = steps.reduce<History>(next, begin);
      const tellAll = () => {
        while (history.open.length > 0) {
          history = next(history, { kind: 'tell', which: 0, outcome: 'good' });
        }
      };
      tellAll();
      history = next(history, { kind: 'wait', ms: policy.restMs });
      history = next(history, { kind: 'ask', minerHotkey: 'one' });
      tellAll();
      t.deepEqual(history.breaker, workingBreaker);
    }),
  );
});

const resting: Breaker = { kind: 'open', untilMs: 5000, tries: new Map() };

/** Tries at a moment, and is told at another. */
function tried(breaker: Breaker, hotkey: string, at: { fromMs: number; toMs: number }) {
  const admittance = admit(breaker, hotkey, at.fromMs);
  if (!admittance.isAdmitted) throw new Error('it rests');
  const tell = (outcome: Outcome, after: Breaker = admittance.next) =>
    settle(after, admittance.admitted, { outcome, nowMs: at.toMs, policy });
  return { next: admittance.next, tell };
}

test('who is turned away hears when to come back', (t) => {
  t.deepEqual(admit(resting, 'one', 2000), { isAdmitted: false, waitMs: 3000 });
  const { next: trying } = tried(resting, 'one', { fromMs: 5000, toMs: 5000 });
  t.deepEqual(admit(trying, 'two', 5400), { isAdmitted: false, waitMs: 600 });
  t.deepEqual(admit(trying, 'one', 9000), { isAdmitted: false, waitMs: 1000 });
  t.like(admit(trying, 'two', 6000), { isAdmitted: true });
});

for (const outcome of ['bad', 'unknown'] as const) {
  test(`after a try that ends ${outcome} its miner has a rest, and any other tries at once`, (t) => {
    const after = tried(resting, 'one', { fromMs: 5000, toMs: 5100 }).tell(outcome);

    t.deepEqual(admit(after, 'one', 5100), { isAdmitted: false, waitMs: policy.restMs });
    t.like(admit(after, 'two', 5100), { isAdmitted: true });
    t.like(admit(after, 'one', 5100 + policy.restMs), { isAdmitted: true });
  });
}

test('a try that outlasts its outage says nothing of the next one', (t) => {
  const { tell } = tried(resting, 'one', { fromMs: 5000, toMs: 20_000 });
  const later: Breaker = { kind: 'open', untilMs: 15_000, tries: new Map() };
  const trying = tried(later, 'one', { fromMs: 16_000, toMs: 16_000 }).next;
  t.is(tell('good', later), later);
  t.is(tell('good', trying), trying);
});
