import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { CommitOutcome, OwnedBatch } from '../../../infra/ports/partition-store.ts';
import { batch, event, openCommitDesk } from '../../support/commit-desk.ts';

let desk: Awaited<ReturnType<typeof openCommitDesk>>;
test.before(async () => {
  desk = await openCommitDesk();
});
test.after.always(() => desk.close());

/** What each of them was told, in their order. */
async function commitAll(owned: readonly OwnedBatch[]): Promise<(CommitOutcome | undefined)[]> {
  const told = new Map<OwnedBatch, CommitOutcome>();
  await desk.store.commitAll(owned, (each, outcome) => told.set(each, outcome));
  return owned.map((each) => told.get(each));
}

const add = (amount: number, cmd = 'c') => ({ add: [{ cmd, key: 'k', amount }] });

test('batches of several partitions are written together, each row where it belongs', async (t) => {
  const { token: first, members, identity } = await desk.claimed();
  const { token: second } = await desk.claimed();
  const again = await members.claim(first, first.epoch, identity);
  const renewed = { ...first, epoch: again?.epoch ?? 0 };

  const outcomes = await commitAll([
    { token: second, batch: batch({ events: [event(1), event(2)], operations: add(5) }) },
    { token: renewed, batch: batch({ events: [event(1)], operations: add(7) }) },
  ]);

  t.deepEqual(outcomes, [{ kind: 'committed' }, { kind: 'committed' }]);
  t.deepEqual(await desk.written(first), { inbox: 1, events: 1 });
  t.deepEqual(await desk.written(second), { inbox: 1, events: 2 });
  const epochs = await desk.admin`
    select distinct part, epoch::integer from rt.event
    where part in (${first.part}, ${second.part}) order by part`;
  t.deepEqual(
    [...epochs],
    [
      { part: first.part, epoch: renewed.epoch },
      { part: second.part, epoch: second.epoch },
    ],
  );
  const counters = await desk.admin`
    select part, value::integer from test_counter
    where part in (${first.part}, ${second.part}) order by part`;
  t.deepEqual(
    [...counters],
    [
      { part: first.part, value: 7 },
      { part: second.part, value: 5 },
    ],
  );
  const [after] = await desk.admin`
    select count(*)::integer as commits, count(distinct at)::integer as instants from rt.inbox
    where part in (${first.part}, ${second.part})`;
  t.deepEqual(after, { commits: 2, instants: 1 });
});

test('what stands against the batch of one partition stands against no other', async (t) => {
  const owners = await Promise.all(Array.from({ length: 6 }, () => desk.claimed()));
  const [fine, fenced, refused, repeated, late, full] = owners.map(({ token }) => token);
  if (!fine || !fenced || !refused || !repeated || !late || !full) return t.fail();
  const known = batch();
  await desk.commit(repeated, known);
  const culprit = randomUUID();
  const inbox = [{ consumer: 'cmd', msgId: culprit, reply: null }];

  const outcomes = await commitAll([
    { token: fine, batch: batch({ events: [event(1)], operations: add(1) }) },
    { token: { ...fenced, epoch: fenced.epoch - 1 }, batch: batch({ events: [event(1)] }) },
    { token: refused, batch: batch({ inbox, operations: add(13, culprit) }) },
    { token: repeated, batch: batch({ inbox: known.inbox, events: [event(1)] }) },
    { token: late, batch: batch({ events: [event(1)], validUntilMs: Date.now() - 1_000 }) },
    { token: full, batch: batch({ operations: add(1_000_666) }) },
  ]);

  const kinds = outcomes.map((outcome) => outcome?.kind);
  t.deepEqual(kinds, ['committed', 'fenced', 'refused', 'duplicates', 'lease-passed', 'invalid']);
  t.deepEqual(await desk.written(fine), { inbox: 1, events: 1 });
  t.deepEqual(await desk.written(repeated), { inbox: 1, events: 0 });
  for (const token of [fenced, refused, late, full]) {
    t.deepEqual(await desk.written(token), { inbox: 0, events: 0 });
  }
});

test('of two leases the one that has ended stands against its own batch alone', async (t) => {
  const [past, valid] = await Promise.all([desk.claimed(), desk.claimed()]);
  const endingIn = (ms: number) => batch({ events: [event(1)], validUntilMs: Date.now() + ms });

  const outcomes = await commitAll([
    { token: past.token, batch: endingIn(-1_000) },
    { token: valid.token, batch: endingIn(60_000) },
  ]);

  t.deepEqual(
    outcomes.map((outcome) => outcome?.kind),
    ['lease-passed', 'committed'],
  );
  t.deepEqual(await desk.written(past.token), { inbox: 0, events: 0 });
  t.deepEqual(await desk.written(valid.token), { inbox: 1, events: 1 });
});

test('of batches together the refused one alone is left out', async (t) => {
  const [one, two, three] = await Promise.all([desk.claimed(), desk.claimed(), desk.claimed()]);
  const culprit = randomUUID();
  const inbox = [{ consumer: 'cmd', msgId: culprit, reply: null }];

  const outcomes = await commitAll([
    { token: one.token, batch: batch({ events: [event(1)] }) },
    { token: two.token, batch: batch({ inbox, operations: add(13, culprit) }) },
    { token: three.token, batch: batch({ events: [event(1)] }) },
  ]);

  t.like(outcomes[1], { kind: 'refused', commands: [{ id: culprit }] });
  const [rows] = await desk.admin`
    select count(*)::integer as rows, count(distinct at)::integer as instants from rt.event
    where part in (${one.token.part}, ${three.token.part})`;
  t.deepEqual(rows, { rows: 2, instants: 1 });
});

// A claim stands before several partitions under one id: where one of them has no room, another may have granted it.
test('of one command in two partitions the one alone is left out that has no room', async (t) => {
  const [full, free] = await Promise.all([desk.claimed(), desk.claimed()]);
  const cmd = randomUUID();
  const inbox = [{ consumer: 'cmd', msgId: cmd, reply: null }];

  const outcomes = await commitAll([
    { token: free.token, batch: batch({ inbox, events: [event(1)], operations: add(1, cmd) }) },
    { token: full.token, batch: batch({ inbox, events: [event(1)], operations: add(15, cmd) }) },
  ]);

  t.like(outcomes[0], { kind: 'committed' });
  t.like(outcomes[1], { kind: 'refused', commands: [{ id: cmd, part: full.token.part }] });
  t.deepEqual(await desk.written(free.token), { inbox: 1, events: 1 });
  t.deepEqual(await desk.written(full.token), { inbox: 0, events: 0 });
});

test('who waits for a lock keeps no other partition waiting', async (t) => {
  const { token: free } = await desk.claimed();
  const { token: held } = await desk.claimed();
  const lock = await desk.admin.reserve();
  await lock`begin`;
  await lock`select from rt.partition where kind = 'counter' and part = ${held.part} for update`;
  const told: number[] = [];
  const isFreeTold = Promise.withResolvers<void>();

  const all = desk.store.commitAll(
    [
      { token: held, batch: batch() },
      { token: free, batch: batch() },
    ],
    ({ token }) => {
      told.push(token.part);
      if (token.part === free.part) isFreeTold.resolve();
    },
  );
  await isFreeTold.promise;
  t.deepEqual(told, [free.part]);
  await lock`commit`;
  lock.release();
  await all;

  t.deepEqual(told, [free.part, held.part]);
  t.deepEqual(await desk.written(held), { inbox: 1, events: 0 });
});
