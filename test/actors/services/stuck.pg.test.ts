import { randomUUID } from 'node:crypto';
import test from 'ava';
import { findStuck, type Stuck } from '../../../actors/services/stuck/find-stuck.ts';
import { stuckKinds } from '../../../actors/services/stuck/kinds.ts';
import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import { testDatabase } from '../../support/cluster.ts';
import { addRace, addSuite, claimRun, type Desk, openDesk } from '../../support/eval-desk.ts';
import { evalPart, submission } from '../../support/eval-world.ts';
import { type Planted, plantedLoans } from '../../support/planted-loans.ts';

// Work in flight with an owner for everything; each test breaks one thing of it and takes that back. One after the
// other: they lock the same rows.

let sql: Sql;
let desk: Desk;
let suiteId: number;
let evalRunId: string;
let agentVersionId: string;
let raceId: string;
test.before(async () => {
  ({ sql } = await testDatabase());
  desk = await openDesk(sql);
  await sql`
    update rt.partition p set owner = m.member_id, incarnation = m.incarnation
    from rt.member m where p.owner is null`;
  suiteId = await addSuite(sql);
  await sql`update suite set activated_at = now() - interval '1 day'`;
  raceId = await addRace(sql, { suiteId, status: 'QUALIFYING_OPEN' });
  await sql`update race set qualifying_closes_at = now() + interval '1 hour'`;
  await desk.ok('submit-version', submission(1, { suiteId }));
  ({ evalRunId, agentVersionId } = await claimRun(desk, 'val-a'));
});

class Undone extends Error {}

/** What is stuck after `plant`, as an edge would find it. */
async function stuckAfter(plant: (tx: Transaction) => Promise<unknown>, perKind = 200) {
  let found: Stuck | undefined;
  const undone = sql.begin(async (tx) => {
    await plant(tx);
    await tx`set local role paddock_edge`;
    // Sound because it only asks one query.
    found = await findStuck(tx as unknown as Sql, perKind);
    throw new Undone();
  });
  await undone.catch((error) => {
    if (!(error instanceof Undone)) throw error;
  });
  if (found === undefined) throw new Error('nothing was asked');
  return found;
}

test.serial('work in flight with living owners is not stuck', async (t) => {
  const { records, total, checkedAt } = await stuckAfter(async () => undefined);

  t.deepEqual(records, []);
  t.is(total, 0);
  t.true(Math.abs(checkedAt.getTime() - Date.now()) < 5_000);
});

const waits: readonly [string, (tx: Transaction) => Promise<unknown>][] = [
  ['somebody who was here may do it', (tx) => leaveTo(tx, { seenFor: '59 minutes' })],
  ['nobody was here for an hour', (tx) => leaveTo(tx, { seenFor: '61 minutes' })],
  [
    'it is open for less than an hour',
    async (tx) => {
      await leaveTo(tx, { seenFor: '1 minute' });
      await tx`delete from validator where hotkey <> 'val-a'`;
      await tx`update work_item set queued_at = now() - interval '59 minutes'`;
    },
  ],
];

for (const [why, plant] of waits) {
  test.serial(`work is not stuck while ${why}`, async (t) => {
    t.deepEqual((await stuckAfter(plant)).records, []);
  });
}

/** The version there is was compared; another one came behind it. */
async function plantNextFile(
  tx: Transaction,
  { reportedAgo, registeredAgo }: { readonly reportedAgo: string; readonly registeredAgo: string },
): Promise<void> {
  await tx`
    insert into similarity_version (agent_version_id, miner_hotkey, author, submitted_at,
      code_sha256, registered_at, fingerprinted_at, reported_at)
    select agent_version_id, miner_hotkey, miner_hotkey, submitted_at, code_sha256,
      now() - interval '1 day', now() - interval '1 day', now() - ${reportedAgo}::interval
    from agent_version`;
  await tx`
    insert into agent_version
    select (jsonb_populate_record(v, jsonb_build_object('agent_version_id', gen_random_uuid(),
      'version_number', 2, 'state', 'DISCARDED', 'submitted_at', now()))).*
    from agent_version v`;
  await tx`
    insert into similarity_version (agent_version_id, miner_hotkey, author, submitted_at,
      code_sha256, registered_at)
    select agent_version_id, miner_hotkey, miner_hotkey, submitted_at, code_sha256,
      now() - ${registeredAgo}::interval
    from agent_version where version_number = 2`;
}

test.serial(
  'a file is stuck two minutes after it was taken in and the one before it compared',
  async (t) => {
    const found = async (reportedAgo: string, registeredAgo: string) => {
      const { records } = await stuckAfter((tx) =>
        plantNextFile(tx, { reportedAgo, registeredAgo }),
      );
      return records.map(({ kind, state }) => [kind, state]);
    };
    t.deepEqual(await found('119 seconds', '1 hour'), [], 'one after the other');
    t.deepEqual(await found('1 hour', '119 seconds'), [], 'the first one for an hour');
    t.deepEqual(await found('121 seconds', '1 hour'), [['similarity', 'UNREAD']]);
  },
);

/** Two versions were compared, the second to be once more. */
async function plantAgain(
  tx: Transaction,
  { movedAgo, reportedAgo }: { readonly movedAgo: string; readonly reportedAgo: string },
): Promise<void> {
  await plantNextFile(tx, { reportedAgo: '1 day', registeredAgo: '1 day' });
  await tx`
    update similarity_version
    set fingerprinted_at = registered_at, reported_at = now() - ${reportedAgo}::interval
    where reported_at is null`;
  await tx`
    update similarity_again a
    set submitted_at = s.submitted_at, agent_version_id = s.agent_version_id,
      moved_at = now() - ${movedAgo}::interval
    from (
      select submitted_at, agent_version_id from similarity_version
      order by submitted_at, agent_version_id
      limit 1) s`;
}

test.serial('one that is compared again is stuck two minutes after the one before', async (t) => {
  const found = async (
    movedAgo: string,
    reportedAgo: string,
    then = async (_: Transaction) => {},
  ) => {
    const { records } = await stuckAfter(async (tx) => {
      await plantAgain(tx, { movedAgo, reportedAgo });
      await then(tx);
    });
    return records.map(({ kind, state }) => [kind, state]);
  };
  const secondIsNew = async (tx: Transaction) => {
    await tx`
      update similarity_version
      set reported_at = null, registered_at = now() - interval '10 seconds',
        fingerprinted_at = now() - interval '10 seconds'
      where reported_at > now() - interval '2 hours'`;
  };
  t.deepEqual(await found('119 seconds', '1 hour'), []);
  t.deepEqual(await found('1 hour', '119 seconds'), [], 'it waited for its first report');
  t.deepEqual(await found('1 hour', '1 hour', secondIsNew), [], 'it waits for its first report');
  t.deepEqual(await found('121 seconds', '1 hour'), [['similarity', 'REPORTED']]);
});

const minute = (tx: Transaction) => tx`now() - interval '1 minute'`;
const lostPart = (tx: Transaction) => tx`
  update rt.partition set owner = null, incarnation = null, released_at = ${minute(tx)}
  where kind = 'eval' and part = ${evalPart}`;
async function addRejudging(tx: Transaction): Promise<string> {
  const rejudgingId = randomUUID();
  await tx`
    insert into rejudging (rejudging_id, suite_id, criteria, actor, created_at)
    values (${rejudgingId}, ${suiteId}, '{}', 'operator:ann', ${minute(tx)})`;
  await tx`
    insert into rejudging_run (rejudging_id, ordinal, eval_run_id)
    values (${rejudgingId}, 1, ${evalRunId})`;
  return rejudgingId;
}
/** One success of two an hour ago, of val-a; val-b was here, and val-c is banned. */
async function leaveTo(tx: Transaction, { seenFor }: { readonly seenFor: string }) {
  await tx`
    update evaluation_run set status = 'SUCCESS', is_included = true, completed_at = now() - interval '61 minutes'`;
  await tx`
    update work_item set live_count = 0, included_success_count = 1,
      queued_at = now() - interval '61 minutes'`;
  await tx`
    insert into validator (hotkey, last_seen_at)
    select hotkey, now() - ${seenFor}::interval from unnest(array['val-a', 'val-b', 'val-c']) hotkey`;
  await tx`insert into hotkey_ban (hotkey, reason, banned_at) values ('val-c', 'x', now())`;
}
const unowned = 'its partition has no live owner';

const unsweptTables = ['challenge', 'idempotency', 'inference_request', 'nonce'];
/** Two rows of each table, so much older than it takes for them to be missed. */
async function plantServed(
  tx: Transaction,
  older: string,
  watchedFor = '2 hours 1 second',
): Promise<void> {
  await tx`
    insert into rt.member (member_id, incarnation, lease_until, code_version, kinds, joined_at)
    values ('watching', gen_random_uuid(), now() + interval '1 minute', 1, '{}',
      now() - ${watchedFor}::interval)`;
  const before = (age: string) => tx`now() - ${age}::interval - ${older}::interval`;
  await tx`
    insert into nonce (hotkey, nonce, accepted_at, batch_id)
    select 'miner', gen_random_uuid(), ${before('2 hours')}, 'b' from generate_series(1, 2)`;
  await tx`
    insert into challenge (challenge_sha256, hotkey, expires_at)
    select n::text, 'miner', ${before('10 minutes')} from generate_series(1, 2) n`;
  await tx`
    insert into idempotency (key_sha256, route, body_sha256, reply, at)
    select n::text, 'x', 'x', '{}', ${before('8 days')} from generate_series(1, 2) n`;
  await tx`
    insert into inference_request (request_id, counted_at)
    select gen_random_uuid(), ${before('2 hours')} from generate_series(1, 2)`;
}

test.serial('what has served is not stuck until it should be gone for long', async (t) => {
  t.deepEqual((await stuckAfter((tx) => plantServed(tx, '-5 seconds'))).records, []);
});

test.serial('what nobody deletes is told by the name of its table', async (t) => {
  const { records } = await stuckAfter((tx) => plantServed(tx, '1 second'));
  t.deepEqual(records.map(({ id }) => id).sort(), unsweptTables);
});

test.serial('after a standstill nonces wait for somebody who has watched the clock', async (t) => {
  const { records } = await stuckAfter((tx) => plantServed(tx, '1 day', '1 hour'));
  t.deepEqual(
    records.map(({ id }) => id).sort(),
    unsweptTables.filter((name) => name !== 'nonce'),
  );
});

test.serial('a file has ten minutes to be taken in', async (t) => {
  const { records } = await stuckAfter(
    (tx) => tx`update agent_version set submitted_at = now() - interval '9 minutes'`,
  );
  t.deepEqual(records, []);
});

const planted: readonly Planted[] = [
  {
    title: 'a run past its lease',
    plant: (tx) => tx`update evaluation_run set lease_expires_at = ${minute(tx)}`,
    found: [['evaluation-run', 'its lease is over and it was not ended']],
  },
  {
    title: 'open work of a discarded version',
    plant: (tx) => tx`update agent_version set state = 'DISCARDED'`,
    found: [['work-item', 'its version is discarded']],
  },
  {
    title: 'open work and a race of a suite that was replaced',
    plant: async (tx) => {
      await tx`update suite set is_active = false`;
      await addSuite(tx as unknown as Sql, 2);
      await tx`update suite set is_active = true, activated_at = ${minute(tx)} where suite_version = 2`;
      await addRace(tx as unknown as Sql, {
        suiteId: suiteId + 1,
        status: 'QUALIFYING_OPEN',
      });
      await tx`update race set qualifying_closes_at = now() + interval '1 hour'`;
    },
    found: [
      ['race', 'its suite is not active any more'],
      ['work-item', 'its suite is not active any more'],
    ],
  },
  {
    title: 'a race of before its suite was switched away and back',
    plant: async (tx) => {
      await tx`update race set opened_at = ${minute(tx)} - interval '1 hour'`;
      await tx`update suite set activated_at = ${minute(tx)}`;
    },
    found: [['race', 'another suite was active since it opened']],
  },
  {
    title: 'open work of a race that is over',
    plant: (tx) => tx`
      with ended as (
        insert into race (race_id, part, suite_id, race_number, status, policy_version, policy,
          opened_at, qualifying_closes_at, cancelled_at)
        values (${randomUUID()}, 1, ${suiteId}, 7, 'RACE_CANCELLED', 0, '{}', now(), now(), ${minute(tx)})
        returning race_id)
      insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, suite_id, phase,
        race_id, state, required_successes, queued_at, queue_order_at)
      select ${randomUUID()}, ${evalPart}, ${agentVersionId}, 'miner-1', ${suiteId}, 'RACE', race_id,
        'OPEN', 2, now(), now()
      from ended`,
    found: [['work-item', 'its race is over']],
  },
  {
    title: 'work held for a ban that nobody lifted there',
    plant: (tx) => tx`update work_item set hold_reason = 'MINER_BANNED'`,
    found: [['work-item', 'it is held for a ban that was lifted']],
  },
  {
    title: 'work that nobody who is here may do for an hour',
    plant: async (tx) => {
      await leaveTo(tx, { seenFor: '59 minutes' });
      await tx`update validator set coldkey = 'cold' where hotkey = 'val-b'`;
      await tx`update work_item set miner_coldkey = 'cold'`;
    },
    found: [
      ['work-without-validator', 'no validator that was here within the hour may evaluate it'],
    ],
  },
  {
    title: 'a slot held by nobody',
    plant: (tx) => tx`update evaluation_run set status = 'STALE', completed_at = now()`,
    found: [['work-item', 'it counts live runs that are none']],
  },
  {
    title: 'a version without work',
    plant: (tx) => tx`
      update work_item set state = 'CANCELLED', closed_at = now()
      where agent_version_id = ${agentVersionId}`,
    found: [['agent-version', 'it waits for an evaluation and has no open work']],
  },
  {
    title: 'everything in a partition that nobody serves',
    plant: lostPart,
    found: [
      ['agent-version', unowned],
      ['evaluation-run', unowned],
      ['partition', 'no live process serves it'],
      ['work-item', unowned],
    ],
  },
  {
    title: 'qualifying that did not close',
    plant: (tx) => tx`update race set qualifying_closes_at = ${minute(tx)}`,
    found: [['race', 'its qualifying should be closed']],
  },
  {
    title: 'pins that stay locked for a close that does not come',
    plant: (tx) => tx`update race set pins_locked_at = ${minute(tx)}`,
    found: [['race', 'its qualifying should be closed']],
  },
  {
    title: 'a closed race that did not start',
    plant: (tx) => tx`update race set status = 'QUALIFYING_CLOSED', closed_at = ${minute(tx)}`,
    found: [['race', 'it should have started']],
  },
  {
    title: 'a race past its limit',
    plant: (tx) => tx`update race set status = 'RACE_RUNNING', deadline_at = ${minute(tx)}`,
    found: [['race', 'its limit is over']],
  },
  {
    title: 'an active suite without a race, and a released race without its bundle',
    plant: (tx) => tx`
      update race set status = 'RACE_COMPLETE', completed_at = ${minute(tx)} - interval '1 hour',
        released_at = ${minute(tx)} - interval '1 second'`,
    found: [
      ['race-bundle', 'its race is released and it was not published'],
      ['suite', 'it has no race that is not over'],
    ],
  },
  {
    title: 'an order and a message that nobody took, and one that was set aside',
    plant: async (tx) => {
      for (const kind of ['svc', 'eval']) {
        await tx`
          insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part,
            target_consumer, headers, body, at, next_at)
          values (${kind}, 0, ${`from-${kind}`}, 'evt.race.1.cancel-race', 'race', 1, 'evt', '{}', '{}',
            ${minute(tx)}, now())`;
      }
      await tx`
        insert into rt.poison (msg_id, subject, headers, body, error, at)
        values ('bad', 'evt.race.1.cancel-race', '{}', '{}', 'cannot read', now())`;
    },
    found: [
      ['message', 'nobody has taken it'],
      ['order', 'no actor has answered it'],
      ['parked-message', 'it failed too often: cannot read'],
    ],
  },
  {
    title: 'runs that were to be judged again and are not offered',
    plant: (tx) => addRejudging(tx),
    found: [['rejudging', 'some of its runs were not offered to anybody']],
  },
  {
    title: 'work of a rejudging that is over',
    plant: async (tx) => {
      const rejudgingId = await addRejudging(tx);
      await tx`update rejudging set cancelled_at = created_at`;
      await tx`
        insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, suite_id, phase,
          state, required_successes, queued_at, queue_order_at, rejudging_id, judged_run_id)
        values (${randomUUID()}, ${evalPart}, ${agentVersionId}, 'miner-1', ${suiteId}, 'QUALIFYING',
          'OPEN', 1, now(), now(), ${rejudgingId}, ${evalRunId})`;
    },
    found: [['rejudging', 'it is over and some of its work is not']],
  },
  {
    title:
      'files that nobody compares, told by the first of them, though it is tried again and again',
    plant: (tx) => tx`
      insert into similarity_version (agent_version_id, miner_hotkey, author, submitted_at,
        code_sha256, registered_at, next_attempt_at)
      select agent_version_id, miner_hotkey, miner_hotkey, submitted_at, code_sha256,
        now() - interval '5 minutes', now() + interval '10 seconds'
      from agent_version`,
    found: [['similarity', 'nobody compares it with earlier files']],
  },
  {
    title: 'a session that nobody throws away',
    plant: (tx) => tx`
      insert into session (token_sha256, hotkey, role, created_at, expires_at)
      values ('c', 'miner', 'miner', now(), now() - interval '11 minutes'),
        ('d', 'miner', 'miner', now(), now() - interval '1 minute')`,
    found: [['session', 'nobody throws away what has served']],
  },
  {
    title: 'what has served and nobody deletes, of each table by its oldest row',
    plant: (tx) => plantServed(tx, '1 second'),
    found: unsweptTables.map(() => ['unswept', 'nobody deletes what has served'] as const),
  },
  {
    title: 'a file that was never taken in',
    plant: (tx) => tx`
      update agent_version set submitted_at = now() - interval '10 minutes 1 second'`,
    found: [['similarity', 'nobody compares it with earlier files']],
  },
  {
    title: 'a release that nobody told, and a webhook that nobody sends to',
    plant: async (tx) => {
      await tx`
        insert into public_release (kind, id, due_at, reason)
        values ('CODE', ${agentVersionId}, ${minute(tx)}, 'AGED')`;
      const past = tx`now() - interval '2 minutes'`;
      await tx`
        insert into public_event (cursor, msg_id, type, body, at)
        values (1, 'one', 'race-opened', '{}', ${past}), (2, 'two', 'top-changed', '{}', now())`;
      for (const types of [null, ['race-opened'], ['top-changed']]) {
        await tx`
          insert into webhook (webhook_id, url, event_types, sealed_secret, cursor, created_at,
            next_attempt_at, last_attempt_at)
          values (${randomUUID()}, 'http://there.example', ${types}, 'x', 0, ${past}, ${past},
            ${types === null ? tx`now()` : past})`;
      }
    },
    found: [
      ['public-release', 'the feed has not told it'],
      ['webhook', 'there are events for it and nobody sends them'],
    ],
  },
  {
    title: 'a process that cannot hand over what it should',
    plant: (tx) => tx`
      update rt.member set draining = true, draining_at = ${minute(tx)} - interval '1 second'`,
    found: [['member', 'it still has partitions to hand over']],
  },
];

const everyPlanted = [...planted, ...plantedLoans];

for (const { title, plant, found } of everyPlanted) {
  test.serial(`stuck: ${title}`, async (t) => {
    const { records, total } = await stuckAfter((tx) => plant(tx, evalRunId));

    t.deepEqual(records.map(({ kind, why }) => [kind, why]).sort(), found);
    t.is(total, found.length);
    const known = new Set(stuckKinds.map(({ kind }) => kind));
    t.true(records.every(({ kind, id, state }) => known.has(kind) && id !== '' && state !== ''));
  });
}

test.serial('every kind is planted above', (t) => {
  const kinds = new Set(everyPlanted.flatMap(({ found }) => found.map(([kind]) => kind)));
  t.deepEqual([...kinds].sort(), stuckKinds.map(({ kind }) => kind).sort());
});

test.serial(
  'what was given time, was just sent or is just changing owners is not stuck',
  async (t) => {
    const { records } = await stuckAfter(async (tx) => {
      await tx`update evaluation_run set lease_expires_at = ${minute(tx)}`;
      await tx`
      insert into run_beat (eval_run_id, part, beat_at, lease_until)
      values (${evalRunId}, ${evalPart}, now(), now())`;
      await tx`update race set qualifying_closes_at = now()`;
      await tx`update work_item set hold_until = ${minute(tx)}, hold_reason = 'REPEATED_FAILURES'`;
      await tx`update rt.partition set owner = null, incarnation = null, released_at = now()`;
      await tx`
      insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
        headers, body, at, next_at)
      values ('svc', 0, 'fresh', 'evt.race.1.cancel-race', 'race', 1, 'evt', '{}', '{}', now(), now()),
        -- Who had it in hand has died; it was sent again a moment ago.
        ('eval', 0, 'again', 'fact.run-ended', 'eval', 1, 'projector', '{}', '{}',
          now() - interval '35 seconds', now() + interval '85 seconds')`;
    });

    t.deepEqual(records, []);
  },
);

test.serial('the owner is named until it is dead for longer than a takeover takes', async (t) => {
  const { records } = await stuckAfter(async (tx) => {
    await tx`update evaluation_run set lease_expires_at = ${minute(tx)}`;
    await tx`update rt.member set lease_until = now() - interval '5 seconds'`;
  });
  t.is(records.length, 1);
  t.regex(records[0]?.owner ?? '', /^member-/);

  const dead = await stuckAfter((tx) => tx`update rt.member set lease_until = ${minute(tx)}`);
  t.deepEqual(
    dead.records.filter(({ id }) => id === raceId).map(({ why }) => why),
    [unowned],
  );
});

test.serial('of many stuck records the oldest are listed and all are counted', async (t) => {
  const { records, total } = await stuckAfter(
    (tx) => tx`
      insert into rt.poison (msg_id, subject, headers, body, error, at)
      select 'bad-' || n, 'evt.race.1.x', '{}', '{}', 'cannot read', now() - n * interval '1 hour'
      from generate_series(1, 5) as n`,
    2,
  );

  t.deepEqual(records.map(({ id }) => id).sort(), ['bad-4', 'bad-5']);
  t.is(total, 5);
});
