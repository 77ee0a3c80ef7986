import test from 'ava';
import type { Fault, FaultBody } from '../faults/fault-plan.ts';
import type { Injected } from '../faults/injector.ts';
import { reclaimsOf, type StaleRun } from './reclaims.ts';

const dueMs = 100_000;

const run = (id: string, lateMs: number, leaseMs = dueMs): StaleRun => {
  return { id, part: 7, staleMs: dueMs + lateMs, leaseMs };
};
const promised = new Map(['a', 'b', 'c'].map((id) => [id, dueMs]));

interface Told {
  readonly startMs: number;
  readonly endMs: number;
  readonly partitions?: readonly number[];
  readonly wasIdle?: boolean;
}

const fault = (body: FaultBody, { partitions = [], wasIdle = false, ...span }: Told): Injected => {
  const planned: Fault = { index: 1, atMs: 0, ...body };
  return { fault: planned, partitions: new Set(partitions), wasIdle, ...span };
};
const frozen = { kind: 'freeze', who: 'coordinator-1', ms: 1 } as const;
const undisturbed = (...injected: Injected[]) =>
  reclaimsOf([run('a', 4_000)], promised, { injected, movedEnds: [] }).undisturbed;

test('lateness is that of runs whose lease nobody lengthened, and the worst one is named', (t) => {
  const rows = [run('a', 100), run('b', 300), run('c', 50, dueMs + 6)];
  const found = reclaimsOf(rows, promised, { injected: [], movedEnds: [] });

  t.like(found, { count: 3, undisturbed: 2, worstLateMs: 300, worstRun: 'b', medianLateMs: 300 });
  t.is(found.worstLateOfAllMs, 300);
});

test('an owner that was frozen when the lease ended says nothing of the service', (t) => {
  const over = { startMs: dueMs - 200, endMs: dueMs + 3_900 };

  t.is(undisturbed(fault(frozen, { ...over, partitions: [7] })), 0);
  t.is(undisturbed(fault(frozen, { ...over, partitions: [6] })), 1);
  // Whom it befell was not known.
  t.is(undisturbed(fault(frozen, over)), 0);
  t.is(undisturbed(fault(frozen, { ...over, partitions: [7], wasIdle: true })), 1);
  t.is(undisturbed(fault({ ...frozen, who: 'edge-1' }, over)), 1);
});

test('what befalls the broker or the database counts for every run', (t) => {
  const span = { startMs: dueMs - 200, endMs: dueMs + 3_900 };

  t.is(undisturbed(fault({ kind: 'nats frozen', ms: 1 }, span)), 0);
  t.is(undisturbed(fault({ kind: 'line', line: 'store', who: 'all', how: 'cut', ms: 1 }, span)), 1);
});

test('a fault that was over a second before, or begins a second later, excuses nothing', (t) => {
  const at = (startMs: number, endMs: number) =>
    undisturbed(fault(frozen, { startMs: dueMs + startMs, endMs: dueMs + endMs, partitions: [7] }));

  t.is(at(-5_000, -1_001), 1);
  t.is(at(-5_000, -1_000), 0);
  t.is(at(1_000, 3_000), 0);
  t.is(at(1_001, 3_000), 1);
});

test('a stranded line is found dead long after it was', (t) => {
  const line = { kind: 'line', line: 'postgres', who: 'coordinator-1', ms: 1 } as const;
  const at = (how: 'cut' | 'stranded') => {
    const span = { startMs: dueMs - 12_000, endMs: dueMs - 11_000, partitions: [7] };
    return undisturbed(fault({ ...line, how }, span));
  };

  t.is(at('cut'), 1);
  t.is(at('stranded'), 0);
});

test('ends that were moved may not have been written when the run ended', (t) => {
  const at = (atMs: number) =>
    reclaimsOf([run('a', 3_700)], promised, { injected: [], movedEnds: [dueMs + atMs] })
      .undisturbed;

  t.is(at(-900), 0);
  t.is(at(-15_000), 0);
  t.is(at(-15_001), 1);
  t.is(at(1_000), 0);
  t.is(at(1_001), 1);
});

test('a lease that ended while no coordinator lived is counted as such', (t) => {
  const dark = fault({ kind: 'darkness', ms: 1 }, { startMs: dueMs - 1, endMs: dueMs + 5_000 });

  const found = reclaimsOf([run('a', 5_500)], promised, { injected: [dark], movedEnds: [] });
  t.like(found, { inDarkness: 1, undisturbed: 0, worstLateMs: null, worstRun: null });
});
