import test from 'ava';
import { type FencedRun, fenceFaults, latenessOf } from './lateness.ts';

const lease = (agentVersionId: string, untilMs = 1_000) => {
  return { evalRunId: `run-${agentVersionId}`, agentVersionId, untilMs };
};

test('lateness counts from the last promise to the answer of the next claim', (t) => {
  const found = latenessOf(
    [lease('a'), lease('b', 2_000), lease('c')],
    [
      { agentVersionId: 'b', atMs: 2_400 },
      { agentVersionId: 'b', atMs: 2_030 },
      { agentVersionId: 'a', atMs: 1_012 },
      { agentVersionId: 'another', atMs: 1 },
    ],
  );

  t.deepEqual(found, { lateMs: [12, 30], unclaimed: 1 });
});

const run = (evalRunId: string, fence: number, at: readonly [number, number | null]): FencedRun => {
  return { evalRunId, workItemId: 'w', fence, claimedMs: at[0], endMs: at[1] };
};

test('a run may end when it was promised to, and another begin then', (t) => {
  const runs = [run('b', 2, [1_000, null]), run('a', 1, [0, 1_000])];

  t.deepEqual(fenceFaults(runs, new Map([['a', 1_000]])), { early: [], double: [] });
});

test('a run that ends before its promise is early', (t) => {
  const { early } = fenceFaults([run('a', 1, [0, 999])], new Map([['a', 1_000]]));

  t.deepEqual(early, ['run a ended 1 ms early']);
});

test('runs that overlap, and runs with one fence, are double', (t) => {
  t.deepEqual(fenceFaults([run('a', 1, [0, 1_000]), run('b', 2, [999, null])], new Map()).double, [
    'runs a and b were held at the same time',
  ]);
  t.deepEqual(fenceFaults([run('a', 1, [0, null]), run('b', 2, [9, null])], new Map()).double, [
    'runs a and b were held at the same time',
  ]);
  t.deepEqual(fenceFaults([run('a', 1, [0, 1]), run('b', 1, [2, null])], new Map()).double, [
    'runs a and b have one fence',
  ]);
});
