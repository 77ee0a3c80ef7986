import test from 'ava';
import type { Fault, FaultBody, Line } from '../faults/fault-plan.ts';
import type { Injected } from '../faults/injector.ts';
import { type Hindrances, hinderedUntil } from './hindrances.ts';

const second = 1_000;

const from = (startMs: number, endMs: number, body: FaultBody): Injected => {
  const fault: Fault = { index: 1, atMs: 0, ...body };
  return { fault, partitions: new Set(), startMs, endMs, wasIdle: false };
};
const among = (...injected: Injected[]): Hindrances => {
  return { injected, stalls: [], edges: 2, coordinators: 2 };
};
const who = (name: string) => ({ kind: 'freeze', who: name, ms: 1 }) as const;
const line = (how: 'cut' | 'stranded', of: Line, name = 'coordinator-1') =>
  ({ kind: 'line', line: of, who: name, how, ms: 1 }) as const;
const owner = 'coordinator-1-0a1b2c3d';

test('a fault hinders its victim until what follows from it is over, and nobody else', (t) => {
  const until = hinderedUntil(among(from(0, 2_000, who('coordinator-1'))), 60 * second);

  t.is(until(owner), 7_000);
  t.is(until('coordinator-2-0a1b2c3d'), -Infinity);
  t.is(until(null), -Infinity);
});

test('while a fault or its aftermath goes on, there is no end of it', (t) => {
  const frozen = from(0, Number.POSITIVE_INFINITY, who('coordinator-1'));
  t.is(hinderedUntil(among(frozen), 60 * second)(owner), Infinity);

  const over = from(0, 2_000, who('coordinator-1'));
  t.is(hinderedUntil(among(over), 6_999)(owner), Infinity);
});

test('what befalls the database, the broker or all coordinators hinders everybody', (t) => {
  for (const kind of ['darkness', 'nats frozen', 'nats wiped'] as const) {
    const until = hinderedUntil(among(from(0, 1_000, { kind, ms: 1 })), 60 * second);
    t.deepEqual([until(owner), until(null)], [6_000, 6_000]);
  }
  const [one, other] = [
    from(0, 2_000, who('coordinator-1')),
    from(1_000, 9_000, who('coordinator-2')),
  ];
  t.is(hinderedUntil(among(one, other), 60 * second)(null), 7_000);
});

test('an edge hinders nobody, and all edges at once do', (t) => {
  const [one, other] = [from(0, 2_000, who('edge-1')), from(3_000, 9_000, who('edge-2'))];

  t.is(hinderedUntil(among(one), 60 * second)(owner), -Infinity);
  t.is(hinderedUntil(among(one, other), 60 * second)(owner), 7_000);

  const door = from(3_000, 9_000, line('cut', 'door', 'edge-2'));
  t.is(hinderedUntil(among(one, door), 60 * second)(owner), -Infinity);
});

test('a line that is half-open hinders until somebody must have noticed', (t) => {
  t.is(hinderedUntil(among(from(0, 2_000, line('cut', 'nats'))), 60 * second)(owner), 7_000);
  t.is(hinderedUntil(among(from(0, 2_000, line('stranded', 'nats'))), 60 * second)(owner), 17_000);
});

test('the object store and the chain hinder what no owner is in charge of', (t) => {
  for (const neighbour of ['store', 'chain'] as const) {
    const until = hinderedUntil(among(from(0, 2_000, line('cut', neighbour, 'all'))), 60 * second);
    t.deepEqual([until(owner), until(null)], [-Infinity, 7_000]);
  }
});

test('what befell nobody hinders nobody; a stall of our own does', (t) => {
  const idle = { ...from(0, 2_000, who('coordinator-1')), wasIdle: true };
  t.is(hinderedUntil(among(idle), 60 * second)(owner), -Infinity);

  const stalled = (lagMs: number) => {
    return { ...among(), stalls: [{ fromMs: 0, untilMs: lagMs, lagMs }] };
  };
  t.is(hinderedUntil(stalled(900), 60 * second)(owner), -Infinity);
  t.is(hinderedUntil(stalled(1_100), 60 * second)(owner), 6_100);
});
