import { randomUUID } from 'node:crypto';
import test from 'ava';
import type {
  CommitBatch,
  CommitOutcome,
  OwnedBatch,
  PartitionToken,
} from '../../../infra/ports/partition-store.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { createMembershipStore } from '../../../infra/postgres/membership-store.ts';
import { createOutboxStore } from '../../../infra/postgres/outbox-store.ts';
import { createPartitionStore } from '../../../infra/postgres/partition-store.ts';
import { testDatabase } from '../../support/cluster.ts';
import { installCounters } from '../../support/counter-kind.ts';

let admin: Sql;
let actor: Sql;

test.before(async () => {
  const database = await testDatabase();
  admin = database.sql;
  await installCounters(admin, 40);
  actor = createSql({ url: database.url, applicationName: 'actor', role: 'paddock_actor' });
});
test.after.always(() => closeSql(actor));

let nextPart = 0;

/** A partition of one's own, claimed by a fresh member. */
async function claimed(leaseMs = 60_000) {
  const members = createMembershipStore(actor);
  const part = nextPart;
  nextPart += 1;
  const join = async (memberId: string, ttlMs = 60_000) => {
    const identity = { memberId: `${memberId}-${part}`, incarnation: randomUUID() };
    await members.join({ ...identity, ttlMs, codeVersion: 1, kinds: ['counter'] });
    return identity;
  };
  const identity = await join('first', leaseMs);
  const ref = { kind: 'counter', part };
  const taken = await members.claim(ref, 0, identity);
  const { incarnation } = identity;
  const token: PartitionToken = { ...ref, epoch: taken?.epoch ?? -1, incarnation };
  return { members, identity, token, join };
}

function batch(changes: Partial<CommitBatch> = {}): CommitBatch {
  const msgId = randomUUID();
  return {
    validUntilMs: undefined,
    inbox: [{ consumer: 'cmd', msgId, reply: { kind: 'ok', body: msgId } }],
    events: [],
    snapshots: [],
    operations: {},
    outbox: [],
    sizeBytes: 0,
    ...changes,
  };
}

const commit = (token: PartitionToken, what: CommitBatch): Promise<CommitOutcome> =>
  createPartitionStore(actor).commit(token, what);

const event = (seq: number) => ({
  machine: 'counter',
  key: 'k',
  seq,
  actorKey: 'k',
  type: 'ADDED',
  typeVersion: 1,
  payload: { by: 1 },
  commandId: 'c',
  account: 'tester',
  trace: {},
});

async function written(token: PartitionToken) {
  const [row] = await admin<{ inbox: number; events: number }[]>`
    select (select count(*)::integer from rt.inbox where part = ${token.part}) as inbox,
           (select count(*)::integer from rt.event where part = ${token.part}) as events`;
  return row;
}

// The fence: whatever two processes believe, only the one with the newest (epoch, incarnation)
// writes, and a refused batch leaves nothing behind.
test('a batch of a former owner is refused and leaves nothing', async (t) => {
  const { members, token, join, identity } = await claimed();
  await members.eject(identity);
  const second = await join('second');
  const taken = await members.claim(token, token.epoch, second);

  const outcome = await commit(token, batch({ events: [event(1)] }));

  t.is(outcome.kind, 'fenced');
  t.deepEqual(await written(token), { inbox: 0, events: 0 });
  t.is(taken?.epoch, token.epoch + 1);
});

test('the right epoch with a foreign incarnation is refused', async (t) => {
  const { token } = await claimed();

  t.is((await commit({ ...token, incarnation: randomUUID() }, batch())).kind, 'fenced');
  t.is((await commit(token, batch())).kind, 'committed');
});

test('a partition of a living owner is not given away', async (t) => {
  const { members, token, join } = await claimed();
  const second = await join('second');

  t.is(await members.claim(token, token.epoch, second), undefined);
  t.is((await commit(token, batch())).kind, 'committed');
});

test('an owner may take its own partition again, which fences its former self', async (t) => {
  const { members, token, identity } = await claimed();

  const again = await members.claim(token, token.epoch, identity);

  t.is(again?.epoch, token.epoch + 1);
  t.is((await commit(token, batch())).kind, 'fenced');
  t.is((await commit({ ...token, epoch: token.epoch + 1 }, batch())).kind, 'committed');
});

test('a claim waits for the commit that still runs', async (t) => {
  const { members, token, identity } = await claimed();
  const slow = commit(
    token,
    batch({ operations: { add: [{ cmd: 'c', key: 'slow', amount: 14 }] } }),
  );
  await running('rt.commit');

  const again = await members.claim(token, token.epoch, identity);

  // Had the claim not waited, the commit would still sleep and show nothing.
  t.deepEqual(await written(token), { inbox: 1, events: 0 });
  t.is((await slow).kind, 'committed');
  t.is(again?.epoch, token.epoch + 1);
});

async function running(text: string): Promise<void> {
  for (;;) {
    const rows = await admin`
      select pid from pg_stat_activity
      where state = 'active' and pid <> pg_backend_pid() and query like ${`%${text}%`}
        and wait_event = 'PgSleep'`;
    if (rows.length > 0) return;
  }
}

test('a message that was answered before is reported with its answer', async (t) => {
  const { token } = await claimed();
  const first = batch();
  await commit(token, first);

  const outcome = await commit(token, batch({ inbox: first.inbox, events: [event(1)] }));

  t.is(outcome.kind, 'duplicates');
  const [proof] = first.inbox;
  if (outcome.kind === 'duplicates')
    t.deepEqual([...outcome.replies], [[proof?.msgId, proof?.reply]]);
  t.deepEqual(await written(token), { inbox: 1, events: 0 });
});

test('an event number that is taken puts the commit in doubt', async (t) => {
  const { token } = await claimed();
  await commit(token, batch({ events: [event(1)] }));

  t.is((await commit(token, batch({ events: [event(1)] }))).kind, 'diverged');
});

test('a batch is refused past the moment it is bound to', async (t) => {
  const { token } = await claimed();
  const past = Date.now() - 1_000;

  const outcome = await commit(token, batch({ validUntilMs: past }));

  t.is(outcome.kind, 'lease-passed');
  if (outcome.kind === 'lease-passed') t.true(outcome.nowMs > past);
  t.is((await commit(token, batch({ validUntilMs: Date.now() + 60_000 }))).kind, 'committed');
});

// A lease is over exactly at its end; a simulated clock stands there for as long as it likes.
test('a batch is refused at the very moment it is bound to', async (t) => {
  const { url, sql } = await testDatabase(t);
  await installCounters(sql, 1);
  const nowMs = Date.UTC(2030, 0, 1);
  await sql.unsafe(`
    create or replace function rt.clock() returns timestamptz
    language sql volatile as $$ select to_timestamp(${nowMs / 1000}) $$`);
  const own = createSql({ url, applicationName: 'actor', role: 'paddock_actor' });
  t.teardown(() => closeSql(own));
  const identity = { memberId: 'one', incarnation: randomUUID() };
  const members = createMembershipStore(own);
  await members.join({ ...identity, ttlMs: 1_000, codeVersion: 1, kinds: ['counter'] });
  const taken = await members.claim({ kind: 'counter', part: 0 }, 0, identity);
  const { incarnation } = identity;
  const token = { kind: 'counter', part: 0, epoch: taken?.epoch ?? 0, incarnation };
  const store = createPartitionStore(own);

  t.is((await store.commit(token, batch({ validUntilMs: nowMs }))).kind, 'lease-passed');
  t.is((await store.commit(token, batch({ validUntilMs: nowMs + 1 }))).kind, 'committed');
});

test('a refusal in SQL names its command and takes the batch back', async (t) => {
  const { token } = await claimed();

  const outcome = await commit(
    token,
    batch({ operations: { add: [{ cmd: 'culprit', key: 'k', amount: 13 }] } }),
  );

  t.like(outcome, { kind: 'refused', commands: [{ id: 'culprit' }], code: 'COOLDOWN_ACTIVE' });
  t.deepEqual(await written(token), { inbox: 0, events: 0 });
});

test('a violated constraint is told by name', async (t) => {
  const { token } = await claimed();

  const operations = { add: [{ cmd: 'c', key: 'k', amount: 1_000_666 }] };
  const outcome = await commit(token, batch({ operations }));

  t.like(outcome, { kind: 'invalid', constraint: 'test_counter_not_full' });
});

/** What each of them was told, in their order. */
async function commitAll(owned: readonly OwnedBatch[]): Promise<(CommitOutcome | undefined)[]> {
  const told = new Map<OwnedBatch, CommitOutcome>();
  await createPartitionStore(actor).commitAll(owned, (each, outcome) => told.set(each, outcome));
  return owned.map((each) => told.get(each));
}

const add = (amount: number, cmd = 'c') => ({ add: [{ cmd, key: 'k', amount }] });

test('batches of several partitions are written together, each row where it belongs', async (t) => {
  const { token: first, members, identity } = await claimed();
  const { token: second } = await claimed();
  const again = await members.claim(first, first.epoch, identity);
  const renewed = { ...first, epoch: again?.epoch ?? 0 };

  const outcomes = await commitAll([
    { token: second, batch: batch({ events: [event(1), event(2)], operations: add(5) }) },
    { token: renewed, batch: batch({ events: [event(1)], operations: add(7) }) },
  ]);

  t.deepEqual(outcomes, [{ kind: 'committed' }, { kind: 'committed' }]);
  t.deepEqual(await written(first), { inbox: 1, events: 1 });
  t.deepEqual(await written(second), { inbox: 1, events: 2 });
  const epochs = await admin`
    select distinct part, epoch::integer from rt.event
    where part in (${first.part}, ${second.part}) order by part`;
  t.deepEqual(
    [...epochs],
    [
      { part: first.part, epoch: renewed.epoch },
      { part: second.part, epoch: second.epoch },
    ],
  );
  const counters = await admin`
    select part, value::integer from test_counter
    where part in (${first.part}, ${second.part}) order by part`;
  t.deepEqual(
    [...counters],
    [
      { part: first.part, value: 7 },
      { part: second.part, value: 5 },
    ],
  );
  const [after] = await admin`
    select count(*)::integer as commits, count(distinct at)::integer as instants from rt.inbox
    where part in (${first.part}, ${second.part})`;
  t.deepEqual(after, { commits: 2, instants: 1 });
});

test('what stands against the batch of one partition stands against no other', async (t) => {
  const owners = await Promise.all(Array.from({ length: 6 }, () => claimed()));
  const [fine, fenced, refused, repeated, late, full] = owners.map(({ token }) => token);
  if (!fine || !fenced || !refused || !repeated || !late || !full) return t.fail();
  const known = batch();
  await commit(repeated, known);
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
  t.deepEqual(await written(fine), { inbox: 1, events: 1 });
  t.deepEqual(await written(repeated), { inbox: 1, events: 0 });
  for (const token of [fenced, refused, late, full]) {
    t.deepEqual(await written(token), { inbox: 0, events: 0 });
  }
});

test('of batches together the refused one alone is left out', async (t) => {
  const [one, two, three] = await Promise.all([claimed(), claimed(), claimed()]);
  const culprit = randomUUID();
  const inbox = [{ consumer: 'cmd', msgId: culprit, reply: null }];

  const outcomes = await commitAll([
    { token: one.token, batch: batch({ events: [event(1)] }) },
    { token: two.token, batch: batch({ inbox, operations: add(13, culprit) }) },
    { token: three.token, batch: batch({ events: [event(1)] }) },
  ]);

  t.like(outcomes[1], { kind: 'refused', commands: [{ id: culprit }] });
  const [rows] = await admin`
    select count(*)::integer as rows, count(distinct at)::integer as instants from rt.event
    where part in (${one.token.part}, ${three.token.part})`;
  t.deepEqual(rows, { rows: 2, instants: 1 });
});

test('who waits for a lock keeps no other partition waiting', async (t) => {
  const { token: free } = await claimed();
  const { token: held } = await claimed();
  const lock = await admin.reserve();
  await lock`begin`;
  await lock`select from rt.partition where kind = 'counter' and part = ${held.part} for update`;
  const told: number[] = [];
  const isFreeTold = Promise.withResolvers<void>();

  const all = createPartitionStore(actor).commitAll(
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
  t.deepEqual(await written(held), { inbox: 1, events: 0 });
});

test('an older snapshot does not replace a newer one', async (t) => {
  const { token } = await claimed();
  const snapshot = (seq: number) => ({
    ...{ machine: 'counter', key: 'k', actorKey: 'k', machineVersion: 1, closed: false },
    ...{ seq, value: 'open', context: { seq } },
  });
  await commit(token, batch({ snapshots: [snapshot(2)] }));

  await commit(token, batch({ snapshots: [snapshot(1)] }));

  const rows = await admin`select seq::integer from rt.snapshot where part = ${token.part}`;
  t.deepEqual([...rows], [{ seq: 2 }]);
});

test('no role of a process can write around the functions', async (t) => {
  const update = async (sql: Sql) => sql`update rt.partition set epoch = epoch + 1 where part = 39`;
  await t.throwsAsync(update(actor), { message: /permission denied/ });
  await t.throwsAsync(
    actor`insert into test_counter (part, key, value, additions) values (0, 'x', 1, 1)`,
    { message: /permission denied/ },
  );

  const { host, port, database } = admin.options;
  const url = `postgres://postgres@${host[0]}:${port[0]}/${database}`;
  for (const role of ['paddock_edge', 'paddock_service'] as const) {
    const other = createSql({ url, applicationName: role, role, max: 1 });
    await t.throwsAsync(update(other), { message: /permission denied/ });
    await t.throwsAsync(other`select rt.release('counter', 39, 0, ${randomUUID()})`, {
      message: /permission denied/,
    });
    t.is((await other`select part from rt.partition where part = 39`).length, 1);
    await closeSql(other);
  }
});

test('a lease that ended is not renewed, and a fresh life begins anew', async (t) => {
  const { members, identity, join } = await claimed();
  t.not(await members.renew(identity, 60_000), undefined);
  t.true(await members.eject(identity));

  t.is(await members.renew(identity, 60_000), undefined);
  t.false(await members.eject(identity));
  const again = await join('first');
  t.not(await members.renew(again, 60_000), undefined);
});

test('an outbox row is put off longer each time and dies by its proof only', async (t) => {
  const { token } = await claimed();
  const store = createOutboxStore(actor);
  const msgId = randomUUID();
  const target = { targetKind: 'counter', targetPart: token.part, targetConsumer: 'evt' };
  const message = { msgId, subject: 'evt.counter.1.add', headers: {}, body: {}, ...target };
  await commit(token, batch({ outbox: [{ ...message, sweepAfterMs: 0 }] }));

  const first = await store.takeDue(10, 1_000);
  t.deepEqual(
    first.map((row) => [row.msgId, row.attempts]),
    [[msgId, 1]],
  );
  t.deepEqual(await store.takeDue(10, 1_000), []);
  const [row] = await admin<{ wait: number }[]>`
    select extract(epoch from next_at - clock_timestamp())::float8 as wait
    from rt.outbox where msg_id = ${msgId}`;
  t.true((row?.wait ?? 0) > 3.5 && (row?.wait ?? 9) <= 4);

  await store.purgeProven(10);
  t.is((await admin`select 1 from rt.outbox where msg_id = ${msgId}`).length, 1);
  await commit(token, batch({ inbox: [{ consumer: 'evt', msgId, reply: null }] }));
  t.is(await store.purgeProven(10), 1);
});
