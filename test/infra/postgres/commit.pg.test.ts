import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import type { Sql } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { createMembershipStore } from '../../../infra/postgres/membership-store.ts';
import { createOutboxStore } from '../../../infra/postgres/outbox-store.ts';
import { createPartitionStore } from '../../../infra/postgres/partition-store.ts';
import { testDatabase } from '../../support/cluster.ts';
import { batch, event, openCommitDesk } from '../../support/commit-desk.ts';
import { installCounters } from '../../support/counter-kind.ts';
import { holdLock } from '../../support/held-lock.ts';
import { patient } from '../../support/patient.ts';
import { until } from '../../support/until.ts';

let desk: Awaited<ReturnType<typeof openCommitDesk>>;
test.before(async () => {
  desk = await openCommitDesk();
});
test.after.always(() => desk.close());

// The fence: whatever two processes believe, only the one with the newest (epoch, incarnation)
// writes, and a refused batch leaves nothing behind.
test('a batch of a former owner is refused and leaves nothing', async (t) => {
  const { members, token, join, identity } = await desk.claimed();
  await members.eject(identity);
  const second = await join('second');
  const taken = await members.claim(token, token.epoch, second);

  const outcome = await desk.commit(token, batch({ events: [event(1)] }));

  t.is(outcome.kind, 'fenced');
  t.deepEqual(await desk.written(token), { inbox: 0, events: 0 });
  t.is(taken?.epoch, token.epoch + 1);
});

test('the right epoch with a foreign incarnation is refused', async (t) => {
  const { token } = await desk.claimed();

  t.is((await desk.commit({ ...token, incarnation: randomUUID() }, batch())).kind, 'fenced');
  t.is((await desk.commit(token, batch())).kind, 'committed');
});

test('a partition of a living owner is not given away', async (t) => {
  const { members, token, join } = await desk.claimed();
  const second = await join('second');

  t.is(await members.claim(token, token.epoch, second), undefined);
  t.is((await desk.commit(token, batch())).kind, 'committed');
});

test('an owner may take its own partition again, which fences its former self', async (t) => {
  const { members, token, identity } = await desk.claimed();

  const again = await members.claim(token, token.epoch, identity);

  t.is(again?.epoch, token.epoch + 1);
  t.is((await desk.commit(token, batch())).kind, 'fenced');
  t.is((await desk.commit({ ...token, epoch: token.epoch + 1 }, batch())).kind, 'committed');
});

test('a claim waits for the commit that still runs', async (t) => {
  const { token, identity } = await desk.claimed();
  const store = createPartitionStore(patientLine(t, 'slow commit'));
  const members = createMembershipStore(patientLine(t, 'late claim'));
  const operations = { add: [{ cmd: 'c', key: 'slow', amount: 14 }] };
  const asked: Promise<unknown>[] = [];

  await holdLock(
    desk.admin,
    (tx) => tx`select pg_advisory_xact_lock(14)`,
    async () => {
      asked.push(store.commit(token, batch({ operations })));
      await waiting('slow commit');
      asked.push(members.claim(token, token.epoch, identity));
      await waiting('late claim');
      t.deepEqual(await desk.written(token), { inbox: 0, events: 0 });
    },
  );

  const [committed, taken] = await Promise.all(asked);
  t.deepEqual(committed, { kind: 'committed' });
  t.like(taken, { epoch: token.epoch + 1 });
  t.deepEqual(await desk.written(token), { inbox: 1, events: 0 });
});

function patientLine(t: ExecutionContext, applicationName: string): Sql {
  const sql = createSql({ ...patient(desk.url), applicationName, role: 'paddock_actor', max: 1 });
  t.teardown(() => closeSql(sql));
  return sql;
}

const waiting = (applicationName: string) =>
  until(async () => {
    const rows = await desk.admin`
      select pid from pg_stat_activity
      where application_name = ${applicationName} and wait_event_type = 'Lock'`;
    return rows.length > 0;
  });

test('a message that was answered before is reported with its answer', async (t) => {
  const { token } = await desk.claimed();
  const first = batch();
  await desk.commit(token, first);

  const outcome = await desk.commit(token, batch({ inbox: first.inbox, events: [event(1)] }));

  t.is(outcome.kind, 'duplicates');
  const [proof] = first.inbox;
  if (outcome.kind === 'duplicates')
    t.deepEqual([...outcome.replies], [[proof?.msgId, proof?.reply]]);
  t.deepEqual(await desk.written(token), { inbox: 1, events: 0 });
});

test('an event number that is taken puts the commit in doubt', async (t) => {
  const { token } = await desk.claimed();
  await desk.commit(token, batch({ events: [event(1)] }));

  t.is((await desk.commit(token, batch({ events: [event(1)] }))).kind, 'diverged');
});

// Whoever's memory is ahead of a database that went back in time: a hole in a history heals never.
test('an event whose forerunner is not stored puts the commit in doubt', async (t) => {
  const { token } = await desk.claimed();
  t.is((await desk.commit(token, batch({ events: [event(1), event(2)] }))).kind, 'committed');
  t.is((await desk.commit(token, batch({ events: [event(3)] }))).kind, 'committed');

  const outcome = await desk.commit(token, batch({ events: [event(5), event(6)] }));

  t.is(outcome.kind, 'diverged');
  t.is((await desk.written(token))?.events, 3);
  t.is((await desk.commit(token, batch({ events: [event(4)] }))).kind, 'committed');

  const { token: fresh } = await desk.claimed();
  t.is((await desk.commit(fresh, batch({ events: [event(2)] }))).kind, 'diverged');
});

test('a batch is refused past the moment it is bound to', async (t) => {
  const { token } = await desk.claimed();
  const past = Date.now() - 1_000;

  const outcome = await desk.commit(token, batch({ validUntilMs: past }));

  t.is(outcome.kind, 'lease-passed');
  if (outcome.kind === 'lease-passed') t.true(outcome.nowMs > past);
  t.is((await desk.commit(token, batch({ validUntilMs: Date.now() + 60_000 }))).kind, 'committed');
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
  const { token } = await desk.claimed();

  const outcome = await desk.commit(
    token,
    batch({ operations: { add: [{ cmd: 'culprit', key: 'k', amount: 13 }] } }),
  );

  t.like(outcome, { kind: 'refused', commands: [{ id: 'culprit' }], code: 'COOLDOWN_ACTIVE' });
  t.deepEqual(await desk.written(token), { inbox: 0, events: 0 });
});

test('a violated constraint is told by name', async (t) => {
  const { token } = await desk.claimed();

  const operations = { add: [{ cmd: 'c', key: 'k', amount: 1_000_666 }] };
  const outcome = await desk.commit(token, batch({ operations }));

  t.like(outcome, { kind: 'invalid', constraint: 'test_counter_not_full' });
});

// A key of the runtime that is taken means that the owner's memory is wrong; one of the domain is the command's affair.
test('a key of the domain that is taken stands against its command, and the owner is not in doubt', async (t) => {
  const { token } = await desk.claimed();
  const operations = { add: [{ cmd: 'c', key: 'k', amount: 16 }] };

  const outcome = await desk.commit(token, batch({ operations }));

  t.like(outcome, { kind: 'invalid', constraint: 'test_counter_pkey' });
});

test('what one consumer was answered is no answer to another', async (t) => {
  const { token } = await desk.claimed();
  const msgId = randomUUID();
  const by = (consumer: string, body: string) => [
    { consumer, msgId, reply: { kind: 'ok' as const, body } },
  ];
  await desk.commit(token, batch({ inbox: by('evt', 'told') }));
  t.deepEqual(await desk.store.replies(token, 'cmd', [msgId]), new Map());

  t.is((await desk.commit(token, batch({ inbox: by('cmd', 'done') }))).kind, 'committed');

  t.deepEqual(
    await desk.store.replies(token, 'cmd', [msgId]),
    new Map([[msgId, { kind: 'ok', body: 'done' }]]),
  );
});

// It would answer from what it knew: a reply that its heir gave is none of its own.
test('who owns a partition no more is told no answers of it', async (t) => {
  const { token, members, identity } = await desk.claimed();
  const known = batch();
  await desk.commit(token, known);
  const msgIds = known.inbox.map(({ msgId }) => msgId);
  t.not(await desk.store.replies(token, 'cmd', msgIds), 'fenced');
  const foreign = { ...token, incarnation: randomUUID() };
  t.is(await desk.store.replies(foreign, 'cmd', msgIds), 'fenced');

  await members.claim(token, token.epoch, identity);

  t.is(await desk.store.replies(token, 'cmd', msgIds), 'fenced');
});

test('an older snapshot does not replace a newer one', async (t) => {
  const { token } = await desk.claimed();
  const snapshot = (seq: number) => ({
    ...{ machine: 'counter', key: 'k', actorKey: 'k', machineVersion: 1, closed: false },
    ...{ seq, value: 'open', context: { seq } },
  });
  await desk.commit(token, batch({ snapshots: [snapshot(2)] }));

  await desk.commit(token, batch({ snapshots: [snapshot(1)] }));

  const rows = await desk.admin`select seq::integer from rt.snapshot where part = ${token.part}`;
  t.deepEqual([...rows], [{ seq: 2 }]);
});

test('no role of a process can write around the functions', async (t) => {
  const update = async (sql: Sql) => sql`update rt.partition set epoch = epoch + 1 where part = 39`;
  await t.throwsAsync(update(desk.actor), { message: /permission denied/ });
  await t.throwsAsync(
    desk.actor`insert into test_counter (part, key, value, additions) values (0, 'x', 1, 1)`,
    { message: /permission denied/ },
  );

  const { host, port, database } = desk.admin.options;
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
  const { members, identity, join } = await desk.claimed();
  t.not(await members.renew(identity, 60_000), undefined);
  t.true(await members.eject(identity));

  t.is(await members.renew(identity, 60_000), undefined);
  t.false(await members.eject(identity));
  const again = await join('first');
  t.not(await members.renew(again, 60_000), undefined);
});

test('an outbox row is put off longer each time and dies by its proof only', async (t) => {
  const { token } = await desk.claimed();
  const store = createOutboxStore(desk.actor);
  const msgId = randomUUID();
  const target = { targetKind: 'counter', targetPart: token.part, targetConsumer: 'evt' };
  const message = { msgId, subject: 'evt.counter.1.add', headers: {}, body: {}, ...target };
  await desk.commit(token, batch({ outbox: [{ ...message, sweepAfterMs: 0 }] }));

  const [before] = await desk.admin<{ at: string }[]>`select rt.clock()::text as at`;
  const first = await store.takeDue(10, 60_000);
  t.deepEqual(
    first.map((row) => [row.msgId, row.attempts]),
    [[msgId, 1]],
  );
  t.deepEqual(await store.takeDue(10, 60_000), []);
  const [row] = await desk.admin<{ isAfter: boolean; isBefore: boolean }[]>`
    select next_at >= ${before?.at ?? ''}::timestamptz + interval '4 minutes' as "isAfter",
           next_at <= rt.clock() + interval '4 minutes' as "isBefore"
    from rt.outbox where msg_id = ${msgId}`;
  t.deepEqual(row, { isAfter: true, isBefore: true });

  await store.purgeProven({ fromPage: 0, pages: 10 });
  t.is((await desk.admin`select 1 from rt.outbox where msg_id = ${msgId}`).length, 1);
  await desk.commit(token, batch({ inbox: [{ consumer: 'evt', msgId, reply: null }] }));
  t.is((await store.purgeProven({ fromPage: 0, pages: 10 })).purged, 1);
});

test('a parked message keeps why it failed: so much as one reads, and no secret', async (t) => {
  const { token } = await desk.claimed();
  const msgId = randomUUID();
  const error = `Error: postgres://paddock:hush@db:5432 said no ${'x'.repeat(5_000)}`;
  const message = { msgId, subject: 'evt.counter.1.add', headers: {}, body: '{}', error };

  await createPartitionStore(desk.actor).park(token, 'evt', message);

  const [row] = await desk.admin<{ error: string }[]>`
    select error from rt.poison where msg_id = ${msgId}`;
  t.regex(row?.error ?? '', /^Error: postgres:\/\/paddock:\[redacted\]@db:5432 said no x/);
  t.is(row?.error.length, 1_000);
});
