import test from 'ava';
import type { FaultBody } from '../faults/fault-plan.ts';
import type { Injected } from '../faults/injector.ts';
import { type EndedProcess, endsByThemselves, type KnownOfProcesses } from './process-ends.ts';

const end = (pid: number, how: Pick<EndedProcess, 'code' | 'signal'>): EndedProcess => {
  return { name: 'edge-1', pid, ...how };
};
const known: KnownOfProcesses = {
  ...{ toldToEnd: new Set([1, 2]), ready: new Set([1, 3]) },
  ...{ gaveUpBroker: new Map(), injected: [] },
};

test('a process that was ready and that nobody ended may not end', (t) => {
  const failed = end(3, { code: 1, signal: null });
  t.deepEqual(endsByThemselves([failed], known), ['edge-1 (3) ended by itself with code 1']);

  const left = end(3, { code: 0, signal: null });
  t.is(endsByThemselves([left], known).length, 1);
});

test('a signal of nobody is found, before it was ready too', (t) => {
  const crashed = end(4, { code: null, signal: 'SIGSEGV' });
  const found = ['edge-1 (4) ended by itself with SIGSEGV before it was ready'];
  t.deepEqual(endsByThemselves([crashed], known), found);
});

test('who was killed or stopped, or could not start, is as it should be', (t) => {
  const right = [
    end(1, { code: null, signal: 'SIGKILL' }),
    end(2, { code: 0, signal: null }),
    end(4, { code: 1, signal: null }),
  ];
  t.deepEqual(endsByThemselves(right, known), []);
});

const anew = [end(3, { code: 75, signal: null })];
const gaveUp = new Map([[3, 50_000]]);
const from = (startMs: number, endMs: number, body: FaultBody): Injected => {
  const fault = { index: 1, atMs: 0, ...body };
  return { fault, partitions: new Set(), startMs, endMs, wasIdle: false };
};
const wiped = (endMs: number) => from(endMs - 1_000, endMs, { kind: 'nats wiped', ms: 1_000 });

test('nobody asks to be started anew for a database that did not go back', (t) => {
  t.deepEqual(endsByThemselves(anew, { ...known, injected: [wiped(49_000)] }), [
    'edge-1 (3) asked to be started anew, and not for having lost its broker',
  ]);
});

test('who lost its broker to a fault may ask to be started anew', (t) => {
  const cut = { kind: 'line', line: 'nats', how: 'cut', ms: 1 } as const;
  const explained = [
    wiped(49_000),
    from(40_000, Number.POSITIVE_INFINITY, { kind: 'nats frozen', ms: 1 }),
    from(45_000, 46_000, { ...cut, who: 'edge-1' }),
    from(45_000, 46_000, { kind: 'freeze', who: 'edge-1', ms: 1 }),
  ];
  for (const fault of explained) {
    t.deepEqual(endsByThemselves(anew, { ...known, gaveUpBroker: gaveUp, injected: [fault] }), []);
  }
  const unexplained = [
    wiped(29_000),
    wiped(52_000),
    { ...wiped(49_000), wasIdle: true },
    from(45_000, 46_000, { ...cut, who: 'edge-2' }),
    from(45_000, 46_000, { ...cut, line: 'postgres', who: 'edge-1' }),
    from(45_000, 46_000, { kind: 'darkness', ms: 1 }),
  ];
  for (const fault of unexplained) {
    t.deepEqual(endsByThemselves(anew, { ...known, gaveUpBroker: gaveUp, injected: [fault] }), [
      'edge-1 (3) asked to be started anew, and no fault had kept it from its broker',
    ]);
  }
});
