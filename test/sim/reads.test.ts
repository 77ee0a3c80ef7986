import test from 'ava';
import { Kernel } from './kernel/kernel.ts';
import { Trace } from './kernel/trace.ts';
import { ReadHistory, type RunRead } from './oracle/read-history.ts';
import { Violations } from './oracle/violations.ts';

function witness() {
  const kernel = new Kernel({ seed: 4, startMs: 0, trace: new Trace() });
  const violations = new Violations(kernel);
  const reads = new ReadHistory(kernel, violations);
  const found = () => violations.found.map(({ invariant }) => invariant);
  return { kernel, reads, found };
}

function told(items: number, status = 'RUNNING', isReleased = true): RunRead {
  return {
    ...{ status, phase: isReleased ? 'QUALIFYING' : 'RACE' },
    identity: { detail_released: isReleased },
    items: { persisted_item_count: items },
  };
}

test('a count that falls is seen, but not of requests that were under way together', (t) => {
  const { reads, found } = witness();
  const [early, alike] = [reads.asks('a', 'run'), reads.asks('a', 'run')];
  reads.readRun(early, told(3));
  reads.readRun(alike, told(2));
  reads.readRun(reads.asks('b', 'run'), told(2));
  t.deepEqual(found(), []);
  reads.readRun(reads.asks('a', 'run'), told(2));
  t.deepEqual(found(), ['INV-21']);
});

test('what was acknowledged has to be read a second later, and no sooner', async (t) => {
  const { kernel, reads, found } = witness();
  reads.claimed('run');
  reads.stored('run');
  reads.ended('run', 'SUCCESS');
  reads.submitted('version');
  await kernel.run({ ms: 999 });
  reads.readRun(reads.asks('a', 'run'), told(0));
  reads.foundNoVersion('version', kernel.nowMs);
  t.deepEqual(found(), []);
  await kernel.run({ ms: 1 });
  reads.readRun(reads.asks('a', 'run'), told(1, 'SUCCESS'));
  reads.readRun(reads.asks('b', 'run'), told(1, 'RUNNING', false));
  reads.foundNoRun(reads.asks('c', 'other'));
  t.deepEqual(found(), []);
  reads.readRun(reads.asks('b', 'run'), told(0, 'RUNNING', false));
  reads.readRun(reads.asks('b', 'run'), told(1, 'FAILED'));
  reads.foundNoVersion('version', kernel.nowMs);
  reads.foundNoRun(reads.asks('c', 'run'));
  t.deepEqual(found(), ['INV-21', 'INV-50', 'INV-50', 'INV-50', 'INV-50']);
});

test('a run that was read as over is over for good, and one that was read is there', (t) => {
  const { reads, found } = witness();
  reads.readRun(reads.asks('a', 'run'), told(0, 'STALE'));
  reads.readRun(reads.asks('a', 'run'), told(0, 'CANCELLED'));
  t.deepEqual(found(), []);
  reads.readRun(reads.asks('a', 'run'), told(0, 'RUNNING'));
  reads.foundNoRun(reads.asks('a', 'run'));
  t.deepEqual(found(), ['INV-50', 'INV-50']);
});
