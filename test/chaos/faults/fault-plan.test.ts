import test from 'ava';
import { describeFault, type Fault, faultPlan } from './fault-plan.ts';

/** The faults of an hour. */
function hourOf(seed: number): readonly Fault[] {
  const faults: Fault[] = [];
  for (const fault of faultPlan({ seed, edges: 3, coordinators: 3 })) {
    if (fault.atMs > 3_600_000) break;
    faults.push(fault);
  }
  return faults;
}

test('a seed is a plan: the same again, and another for another seed', (t) => {
  const lines = (seed: number) => hourOf(seed).map(describeFault);
  t.deepEqual(lines(7), lines(7));
  t.notDeepEqual(lines(7), lines(8));
});

test('a fault comes every 2 to 8 s', (t) => {
  const times = [0, ...hourOf(1).map(({ atMs }) => atMs)];
  const gaps = times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
  t.true(gaps.every((ms) => ms >= 2_000 && ms <= 8_000));
});

test('no store of JetStream lives for a whole minute', (t) => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const wipes = hourOf(seed).filter(({ kind }) => kind === 'nats wiped');
    const times = [0, ...wipes.map(({ atMs }) => atMs)];
    t.true(times.slice(1).every((atMs, index) => atMs - (times[index] ?? 0) <= 60_000));
  }
});

test('before a store is deleted at its time, somebody who is to read it stands still', (t) => {
  const faults = hourOf(1);
  const lastMs = faults.findLast(({ kind }) => kind === 'nats wiped')?.atMs ?? 0;
  t.true(lastMs > 3_500_000);
  const lost = faults.filter((wipe, index) => {
    const before = faults[index - 1];
    if (wipe.kind !== 'nats wiped' || before?.kind !== 'freeze') return false;
    return before.who.startsWith('coordinator') && before.atMs + before.ms > wipe.atMs + wipe.ms;
  });
  // Every wipe but those that chance draws, and at least every other minute.
  t.true(lost.length >= 30, `${lost.length} of ${faults.length}`);
});

test('an hour has every kind of fault, and everybody is among the victims', (t) => {
  const faults = hourOf(3);
  t.is(new Set(faults.map(({ kind }) => kind)).size, 10);
  const victims = faults.flatMap((fault) => ('who' in fault ? [fault.who] : []));
  t.is(new Set(victims).size, 7);
  const lines = faults.flatMap((fault) => (fault.kind === 'line' ? [fault.line] : []));
  t.deepEqual([...new Set(lines)].sort(), ['chain', 'door', 'nats', 'postgres', 'store']);
});
