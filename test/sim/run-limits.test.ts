import test from 'ava';
import { Kernel } from './kernel/kernel.ts';
import { Trace } from './kernel/trace.ts';
import type { KnownRun } from './oracle/commit-model.ts';
import { RunLimits } from './oracle/run-limits.ts';
import { Violations } from './oracle/violations.ts';

const limits = { noProgressMs: 90_000, runLimitMs: 150_000 };

test('a run may end for want of progress once it had none for that long, and not before', (t) => {
  t.deepEqual(foundOf(endedBy('NO_PROGRESS', 90_000), 90_000), []);
  t.deepEqual(foundOf(endedBy('NO_PROGRESS', 89_999), 89_999), ['INV-06']);
  t.deepEqual(foundOf({ ...endedBy('NO_PROGRESS', 100_000), progressAtMs: 40_000 }, 100_000), [
    'INV-06',
  ]);
});

test('progress that was answered counts, also where no event tells of it', (t) => {
  const run = endedBy('NO_PROGRESS', 92_000);

  t.deepEqual(foundOf(run, 92_000, [2_000]), []);
  t.deepEqual(foundOf(run, 92_000, [2_001]), ['INV-06']);
  t.deepEqual(foundOf(run, 92_000, [60_000, 1_000]), ['INV-06']);
});

test('progress lengthens nothing that a run may take in all', (t) => {
  const run = { ...endedBy('RUN_LIMIT', 150_000), progressAtMs: 140_000 };

  t.deepEqual(foundOf(run, 150_000, [140_000]), []);
});

function endedBy(reason: string, atMs: number): KnownRun {
  return {
    ...{ evalRunId: 'a', workItemId: 'b', agentVersionId: 'c', validatorHotkey: 'd', part: 1 },
    ...{ claimedAtMs: 0, ageFromMs: 0, progressAtMs: 0, end: { type: 'STALED', atMs, reason } },
  };
}

/** What is wrong with a run that ended then, after progress that was sent at these times and answered. */
function foundOf(run: KnownRun, atMs: number, progressMs: readonly number[] = []): string[] {
  const violations = new Violations(new Kernel({ seed: 1, startMs: 0, trace: new Trace() }));
  const judge = new RunLimits({
    ...{ limits, violations, amnestyMs: 25_000, takenMs: () => 0 },
    weather: { unhurtSinceMs: 0, disturbedMs: () => 0 },
  });
  for (const sentAtMs of progressMs) judge.progressed({ ...run, end: undefined }, sentAtMs);
  judge.ended(run, atMs);
  return violations.found.map(({ invariant }) => invariant);
}
