import test from 'ava';
import { SharedCommits } from '../../../actors/runtime/shared-commits.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import type { CommitBatch, CommitOutcome } from '../../../infra/ports/partition-store.ts';

/** The parts of each statement, in the order in which they were sent; `finish` ends the oldest. */
function world(gatherCommitsMs = 0) {
  const sent: number[][] = [];
  const open: (() => void)[] = [];
  const told: string[] = [];
  const statement = (parts: number[]) => {
    sent.push(parts);
    return new Promise<void>((resolve) => open.push(resolve));
  };
  const commits = new SharedCommits(
    {
      commit: async ({ part }) => {
        await statement([part]);
        return { kind: 'committed' };
      },
      commitAll: async (batches, tell) => {
        await statement(batches.map(({ token }) => token.part));
        for (const batch of batches) tell(batch, { kind: 'committed' });
      },
    },
    systemClock,
    { gatherCommitsMs },
  );
  const commit = async (part: number, size: Partial<CommitBatch> = {}): Promise<CommitOutcome> => {
    const batch = { validUntilMs: undefined, inbox: [], events: [], snapshots: [], operations: {} };
    const token = { kind: 'counter', part, epoch: 1, incarnation: 'i' };
    const outcome = await commits.commit(token, { ...batch, outbox: [], sizeBytes: 0, ...size });
    told.push(`${part} ${outcome.kind}`);
    return outcome;
  };
  return { sent, told, commit, finish: () => open.shift()?.() };
}

const turn = () => new Promise(setImmediate);

test('what is ready in one turn is one statement, what comes meanwhile is the next', async (t) => {
  const { sent, told, commit, finish } = world();
  void commit(1);
  void Promise.resolve().then(() => commit(2));
  await turn();
  t.deepEqual(sent, [[1, 2]]);

  void commit(3);
  void commit(1);
  finish();
  await turn();

  t.deepEqual(told, ['1 committed', '2 committed']);
  t.deepEqual(sent, [
    [1, 2],
    [3, 1],
  ]);
});

test('a statement that takes long keeps nobody waiting', async (t) => {
  const { sent, told, commit, finish } = world();
  void commit(1);
  await turn();
  const second = commit(2);

  // Nobody ends the first one.
  while (sent.length < 2) await turn();
  finish();
  finish();
  await second;

  t.deepEqual(sent, [[1], [2]]);
  t.deepEqual(told, ['1 committed', '2 committed']);
});

test('what is large goes by itself, and at once', async (t) => {
  const { sent, commit } = world();
  void commit(1);
  void commit(2, { sizeBytes: 40_000 });
  void commit(3, { events: Array.from({ length: 65 }, () => ({})) });
  await turn();

  t.deepEqual(sent, [[2], [3], [1]]);
});

test('a statement has room for so much, and the rest goes with the next', async (t) => {
  const { sent, commit, finish } = world();
  for (let part = 0; part < 10; part += 1) void commit(part, { sizeBytes: 30_000 });
  await turn();
  t.deepEqual(sent, [[0, 1, 2, 3, 4, 5, 6, 7]]);

  finish();
  await turn();
  t.deepEqual(sent[1], [8, 9]);
});

test('who is told to wait for company gets it over several turns', async (t) => {
  const { sent, commit } = world(20);
  void commit(1);
  await turn();
  void commit(2);

  while (sent.length === 0) await turn();
  t.deepEqual(sent, [[1, 2]]);
});
