import test from 'ava';
import type { Fault } from '../faults/fault-plan.ts';
import type { Injected } from '../faults/injector.ts';
import { minimumOf } from './reachability.ts';

const of = (fault: Partial<Fault>): Injected => {
  return {
    ...{ fault: { index: 1, atMs: 0, ...fault } as Fault, partitions: new Set() },
    ...{ startMs: 0, endMs: 0, wasIdle: false },
  };
};
const dark = [of({ kind: 'darkness', ms: 2_000 })];
const killed = [of({ kind: 'kill', who: 'edge-1' })];
const after = ({ kind }: Fault) => kind === 'darkness';

test('of what a run of three minutes does on purpose, something must come about', (t) => {
  t.is(minimumOf({ perMinute: 0.15 }, { minutes: 3, injected: killed }), 1);
  t.is(minimumOf({ perMinute: 0.15, after }, { minutes: 3, injected: dark }), 1);
  t.is(minimumOf({ perMinute: 0.15 }, { minutes: 2.9, injected: killed }), 0);
});

test('what needs a fault that was not planned is not asked for', (t) => {
  t.is(minimumOf({ perMinute: 0.15, after }, { minutes: 3, injected: killed }), 0);
});

test('what is luck in a short run is asked for in a long one', (t) => {
  const share = { perMinute: 0.05, after, isRare: true };
  t.is(minimumOf(share, { minutes: 9, injected: dark }), 0);
  t.is(minimumOf(share, { minutes: 10, injected: dark }), 1);
});

test('what comes about often is asked for by the minute', (t) => {
  t.is(minimumOf({ perMinute: 8 }, { minutes: 3, injected: killed }), 20);
});
