import test from 'ava';
import fc from 'fast-check';
import {
  type Deadlines,
  type Gap,
  promisedUntil,
  reasonOfEnd,
  takenOver,
} from '../../machines/evaluation-run/decide.ts';
import { emptyTally, type RunFact } from '../../machines/evaluation-run/facts.ts';
import { evaluationRun, runStatus } from '../../machines/evaluation-run/machine.ts';
import { evolve, fold, ModelBug } from '../../machines/kernel.ts';

const completion = { digest: 'd', reply: {} };
const claimed: RunFact = {
  type: 'CLAIMED',
  at: 1,
  leaseUntil: 10,
  run: {
    evalRunId: 'run',
    workItemId: 'item',
    agentVersionId: 'version',
    suiteId: 1,
    phase: 'QUALIFYING',
    raceId: null,
    executionKind: 'envpack',
    envPackSha256: 'ab',
    validatorHotkey: 'val',
    slot: 0,
    fence: 1,
    expectedItems: 3,
  },
};
const started: RunFact = { type: 'STARTED', at: 2, leaseUntil: 12 };
const ends: readonly RunFact[] = [
  { type: 'SUCCEEDED', at: 3, scoreMicro: 5, isIncluded: true, exclusionReason: null, completion },
  { type: 'FAILED', at: 3, faultClass: 'AGENT', completion },
  { type: 'RUN_TIMED_OUT', at: 3, faultClass: 'AGENT', completion },
  { type: 'STALED', at: 3, reason: 'LEASE_EXPIRED' },
  { type: 'CANCELLED', at: 3, reason: 'RELEASED' },
];
const everything: readonly RunFact[] = [
  claimed,
  started,
  { type: 'PROGRESS_RECORDED', at: 3, leaseUntil: 13 },
  { type: 'RESULTS_STORED', at: 3, leaseUntil: 13, added: emptyTally },
  ...ends,
];

for (const end of ends) {
  for (const start of [[claimed], [claimed, started]]) {
    test(`nothing follows ${end.type} after ${start.at(-1)?.type}`, (t) => {
      const run = fold(evaluationRun, [...start, end]);

      for (const fact of everything) {
        t.throws(() => evolve(evaluationRun, run, fact), { instanceOf: ModelBug });
      }
      t.is(run.context.endedAt, 3);
    });
  }
}

test('only the inclusion of a success changes after its end', (t) => {
  const success = fold(evaluationRun, [claimed, ends[0] ?? claimed]);

  const excluded = evolve(evaluationRun, success, { type: 'EXCLUDED', reason: 'VALIDATOR_BANNED' });
  const included = evolve(evaluationRun, excluded, { type: 'INCLUDED' });

  t.false(excluded.context.isIncluded);
  t.is(excluded.context.exclusionReason, 'VALIDATOR_BANNED');
  t.deepEqual(included, success);
  t.is(runStatus(excluded), 'SUCCESS');
});

test('results add up', (t) => {
  const added = { items: 2, rewardMicro: 7, broken: 1, integrity: 0 };
  const stored: RunFact = { type: 'RESULTS_STORED', at: 5, leaseUntil: 20, added };

  const run = fold(evaluationRun, [claimed, started, stored, stored]);

  t.deepEqual(run.context.tally, { items: 4, rewardMicro: 14, broken: 2, integrity: 0 });
  t.is(run.context.progressAt, 5);
});

// The model is one comparison per limit; whichever is reached first gives the reason, and the run
// limit before the others when several are.
test('a run is over exactly when a limit is reached', (t) => {
  const leaseMs = 120_000;
  const near = (limit: number) => fc.constantFrom(limit - 1, limit, limit + 1);
  const property = fc.property(
    fc.oneof(near(leaseMs), near(3_600_000), near(7_200_000), fc.nat(8_000_000)),
    fc.constantFrom(leaseMs, 10_000_000),
    fc.constantFrom(3_600_000, 10_000_000),
    (now, lease, progress) => {
      const deadlines = {
        leaseUntilMs: lease,
        noProgressUntilMs: progress,
        runLimitUntilMs: 7_200_000,
      };
      const over = now >= lease || now >= progress || now >= 7_200_000;
      return (reasonOfEnd(deadlines, now) !== undefined) === over;
    },
  );
  t.notThrows(() => fc.assert(property));
});

test('a promise never shrinks, and never outlives the run’s other limits', (t) => {
  const deadlines = { leaseUntilMs: 300, noProgressUntilMs: 1000, runLimitUntilMs: 900 };

  t.is(promisedUntil(deadlines, 200), 300);
  t.is(promisedUntil(deadlines, 400), 400);
  t.is(promisedUntil(deadlines, 2000), 900);
});

test('the time without an owner moves the limits of a run, on top of what is written of it', (t) => {
  const claimed = { leaseUntilMs: 300, noProgressUntilMs: 1000, runLimitUntilMs: 2000 };

  const at = { claimedAtMs: 100, progressAtMs: 150 };
  const after = (
    written: Partial<Deadlines>,
    gaps: readonly Gap[] = [],
    lastGapMs = gaps.at(-1)?.ms ?? 0,
  ) => takenOver({ claimed, ...at, written, gaps, lastGapMs });

  t.deepEqual(after({}), claimed);
  t.deepEqual(after({}, [{ untilMs: 200, ms: 50 }]), {
    ...{ leaseUntilMs: 300, noProgressUntilMs: 1050, runLimitUntilMs: 2050 },
  });
  // One before its claim is none of the run's, one before its progress none of that limit's.
  const former = [
    { untilMs: 90, ms: 40 },
    { untilMs: 120, ms: 20 },
    { untilMs: 200, ms: 50 },
  ];
  t.deepEqual(after({}, former), {
    ...{ leaseUntilMs: 300, noProgressUntilMs: 1050, runLimitUntilMs: 2070 },
  });
  // Of what the owners before could not write down nothing is lost, and nothing counts twice.
  t.deepEqual(after({ runLimitUntilMs: 2020 }, former), {
    ...{ leaseUntilMs: 300, noProgressUntilMs: 1050, runLimitUntilMs: 2070 },
  });
  const written = { leaseUntilMs: 400, noProgressUntilMs: 900, runLimitUntilMs: 2100 };
  t.deepEqual(after(written, [{ untilMs: 200, ms: 50 }]), {
    ...{ leaseUntilMs: 400, noProgressUntilMs: 1050, runLimitUntilMs: 2150 },
  });
  // Loaded anew by the owner that counted it.
  t.deepEqual(after(written, [{ untilMs: 200, ms: 50 }], 0), {
    ...{ leaseUntilMs: 400, noProgressUntilMs: 1050, runLimitUntilMs: 2100 },
  });
  // A former version wrote the end of a lease alone, which it promised for good.
  t.deepEqual(after({ leaseUntilMs: 1500 }, [{ untilMs: 200, ms: 50 }]), {
    ...{ leaseUntilMs: 1500, noProgressUntilMs: 1550, runLimitUntilMs: 2050 },
  });
});
