import test from 'ava';
import { evalPartitionOf } from '../../../machines/partition-of.ts';
import { type Attempt, History } from '../clients/history.ts';
import type { FaultBody } from '../faults/fault-plan.ts';
import type { Injected } from '../faults/injector.ts';
import { unavailability } from './availability.ts';

const versionId = '11111111-1111-4111-8111-111111111111';
const part = evalPartitionOf(versionId);
const doors = new Map([
  ['http://door:1', 'edge-1'],
  ['http://door:2', 'edge-2'],
]);
const killed = { kind: 'kill', who: 'coordinator-1' } as const;
const claim = { kind: 'claim', isKeyed: true } as const;

interface Asked {
  readonly door?: 1 | 2;
  readonly from: number;
  readonly to: number;
  readonly status?: number;
}

function historyOf(asked: readonly Asked[]): History {
  const history = new History();
  for (const { door = 1, from, to, status = 200 } of asked) {
    const isTaken = status === 200;
    const attempt: Attempt = {
      ...{ client: 'val', sent: { ...claim, evalRunId: 'run' }, firstCallMs: from, callMs: from },
      ...{ door: `http://door:${door}`, returnMs: to, status, code: '' },
      outcome: isTaken ? 'acknowledged' : status >= 500 ? 'unknown' : 'rejected',
      told: isTaken ? { evalRunId: 'run', agentVersionId: versionId } : {},
    };
    history.attempts.push(attempt);
  }
  return history;
}

function fault(body: FaultBody, startMs: number, endMs = startMs): Injected {
  const partitions = new Set(body.kind === 'kill' && body.who === killed.who ? [part] : []);
  return { fault: { index: 1, atMs: 0, ...body }, startMs, endMs, partitions, wasIdle: false };
}

function worstOf(asked: readonly Asked[], others: readonly Injected[] = []) {
  const rows = unavailability(historyOf(asked), [fault(killed, 1_000), ...others], doors);
  return rows.find(({ kind }) => kind === 'kill coordinator')?.worstMs;
}

test('a takeover takes until the first write is taken, whatever was refused before', (t) => {
  const refused = { from: 1_100, to: 1_200, status: 503 };
  t.is(worstOf([refused, { from: 1_900, to: 3_000 }, { from: 3_500, to: 3_600 }]), 2_000);
});

test('the first one that is taken counts, not the first one that was asked', (t) => {
  t.is(
    worstOf([
      { from: 1_100, to: 9_000 },
      { from: 1_500, to: 2_000 },
    ]),
    1_000,
  );
});

test('where nobody asked for a while, nothing is known', (t) => {
  t.is(worstOf([{ from: 2_500, to: 2_600 }]), null);
  t.is(
    worstOf([
      { from: 1_100, to: 1_200, status: 503 },
      { from: 2_500, to: 2_600 },
    ]),
    null,
  );
});

test('who asked by an edge that was frozen tells nothing of owners', (t) => {
  const frozen = fault({ kind: 'freeze', who: 'edge-2', ms: 7_000 }, 500, 7_500);
  const held = { door: 2, from: 1_100, to: 8_000 } as const;
  t.is(worstOf([held], [frozen]), null);
  t.is(worstOf([held, { from: 1_200, to: 1_800 }], [frozen]), 800);
  // The same by an edge that was well is as slow as it looks.
  t.is(worstOf([held]), 7_000);
});

test('an owner that refuses what it may tells nothing of what it would take', (t) => {
  t.is(
    worstOf([
      { from: 1_100, to: 1_200, status: 409 },
      { from: 6_000, to: 6_100 },
    ]),
    null,
  );
});

test('a takeover is alone only when no line is half-open still that was stranded a while ago', (t) => {
  const aloneWith = (how: 'cut' | 'stranded') => {
    const line = { kind: 'line', line: 'postgres', who: 'coordinator-2', how, ms: 500 } as const;
    const faults = [fault(line, 500, 1_000), fault(killed, 6_000)];
    const rows = unavailability(historyOf([{ from: 6_100, to: 7_000 }]), faults, doors);
    return rows.find(({ kind }) => kind === 'kill coordinator')?.alone;
  };
  t.deepEqual([aloneWith('cut'), aloneWith('stranded')], [1, 0]);
});
