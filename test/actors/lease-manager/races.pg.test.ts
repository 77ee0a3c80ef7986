import test from 'ava';
import { claimView } from '../../../actors/lease-manager/reads.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import {
  addRace,
  addSuite,
  claimOf,
  claimRun,
  type Desk,
  openWorld,
} from '../../support/eval-desk.ts';
import {
  completion,
  episode,
  evalPart,
  submission,
  versionIdAt,
} from '../../support/eval-world.ts';
import { holdLock, type Take } from '../../support/held-lock.ts';
import { tellsOneStory } from '../../support/one-story.ts';
import { until } from '../../support/until.ts';

async function succeed(desk: Desk, validator: string, taskOf = (n: number) => `task-${n}`) {
  const own = await claimRun(desk, validator);
  const results = [0, 1, 2].map((n) => episode(n, { taskId: taskOf(n) }));
  await desk.ok('append-results', { ...own, results });
  return { own, reply: await desk.ok('complete-run', { ...own, ...completion() }) };
}

const raceTask = (n: number) => `race-${n}`;

const takeRace =
  (raceId: string): Take =>
  (tx) =>
    tx`select 1 from race where race_id = ${raceId} for update`;

/** A suite with version 1 eligible. */
async function openSeason(sql: Sql, desk: Desk): Promise<number> {
  const suiteId = await addSuite(sql);
  await desk.ok('submit-version', submission(1));
  for (const validator of ['val-a', 'val-b']) await succeed(desk, validator);
  return suiteId;
}

async function startRace(sql: Sql, desk: Desk, suiteId: number) {
  const raceId = await addRace(sql, { suiteId });
  const agentVersionIds = [versionIdAt(1)];
  const start = { raceId, suiteId, requiredSuccesses: 2, agentVersionIds };
  await desk.ok('race-started', start);
  return { raceId, start };
}

const over = (sql: Sql, raceId: string) =>
  sql`update race set status = 'RACE_COMPLETE', completed_at = now() where race_id = ${raceId}`;

async function itemOf(sql: Sql, raceId: string) {
  const rows = await sql`
    select state, close_reason as reason, included_success_count as included, part,
           required_successes as required
    from work_item where race_id = ${raceId}`;
  return rows.map((row) => ({ ...row }));
}

async function sentOf(sql: Sql, type: string) {
  return await sql<{ subject: string; body: Record<string, unknown> }[]>`
    select subject, body from rt.outbox where subject like ${`evt.race.%.${type}`} order by at`;
}

test('a race opens the work of an entrant once, of a version that nobody waited for', async (t) => {
  const { sql, desk } = await openWorld(t);
  const suiteId = await openSeason(sql, desk);
  await desk.takeOver();

  const { raceId, start } = await startRace(sql, desk, suiteId);
  await desk.takeOver();
  await desk.ok('race-started', start);

  t.deepEqual(await itemOf(sql, raceId), [
    { state: 'OPEN', reason: null, included: 0, part: evalPart, required: 2 },
  ]);
  t.is((await sentOf(sql, 'work-changed')).length, 0);
});

test('work of a race is for no validator of its own miner, by hotkey or coldkey', async (t) => {
  const { sql, desk } = await openWorld(t);
  await startRace(sql, desk, await openSeason(sql, desk));
  const shown = async (validatorHotkey: string, validatorColdkey: string) => {
    const claimer = { validatorHotkey, validatorColdkey, slots: 1, limit: 16 };
    return (await claimView(sql, claimer)).candidates.length;
  };
  const given = async (validatorHotkey: string, validatorColdkey: string) => {
    const claim = { ...claimOf(validatorHotkey), validatorColdkey };
    return (await desk.ok('claim-work', claim))['run'];
  };
  const own = [
    ['val-own', 'cold-miner-1'],
    ['miner-1', 'cold-elsewhere'],
  ] as const;

  for (const [hotkey, coldkey] of own) {
    t.is(await shown(hotkey, coldkey), 0, hotkey);
    t.is(await given(hotkey, coldkey), null, hotkey);
  }
  await desk.takeOver();
  for (const [hotkey, coldkey] of own) t.is(await given(hotkey, coldkey), null, hotkey);
  t.is(await shown('val-own', 'cold-elsewhere'), 1);
  t.not(await given('val-own', 'cold-elsewhere'), null);
  await tellsOneStory(t, sql);
});

test('a run of a race is judged on the tasks of its race, over owners', async (t) => {
  const { sql, desk } = await openWorld(t);
  const suiteId = await openSeason(sql, desk);
  const { raceId } = await startRace(sql, desk, suiteId);
  await sql`delete from race_task where ordinal = 2`;
  await desk.takeOver();

  const own = await claimRun(desk, 'val-a');
  await desk.takeOver();
  const items = await desk.ok('append-results', {
    ...own,
    results: [episode(0), episode(0, { taskId: 'race-0' }), episode(1, { taskId: 'race-1' })],
  });
  const reply = await desk.ok('complete-run', { ...own, ...completion() });

  t.deepEqual(
    (items['items'] as { status: number }[]).map(({ status }) => status),
    [422, 201, 201],
  );
  t.like(reply, { status: 'SUCCESS', includedSuccessCount: 1, finalScore: null });
  const [run] = await sql`
    select phase, race_id, expected_items, item_count from evaluation_run where race_id is not null`;
  t.deepEqual({ ...run }, { phase: 'RACE', race_id: raceId, expected_items: 2, item_count: 2 });
});

test('the coordinator hears of work that closes, and public counters keep the race’s secrets', async (t) => {
  const { sql, desk } = await openWorld(t);
  const suiteId = await openSeason(sql, desk);
  const { raceId } = await startRace(sql, desk, suiteId);
  const failed = await claimRun(desk, 'val-c');
  await desk.ok('complete-run', {
    ...failed,
    ...completion({ terminalStatus: 'FAILED', scoreMicro: null, failureClass: 'PROVIDER' }),
  });
  await succeed(desk, 'val-a', raceTask);
  t.is((await sentOf(sql, 'work-changed')).length, 0);
  await succeed(desk, 'val-b', raceTask);

  const sent = await sentOf(sql, 'work-changed');
  t.deepEqual(
    sent.map(({ subject, body }) => ({ subject, body })),
    [
      {
        subject: `evt.race.${suiteId % 4}.work-changed`,
        body: { raceId, agentVersionId: versionIdAt(1) },
      },
    ],
  );
  const [version] = await sql`
    select failed_run_count, live_run_count, included_success_count, qualifying_score
    from agent_version`;
  t.deepEqual(
    { ...version },
    {
      failed_run_count: 0,
      live_run_count: 0,
      included_success_count: 2,
      qualifying_score: '0.5000',
    },
  );
});

test('the end of a race cancels its open work, and blames nobody', async (t) => {
  const { sql, desk } = await openWorld(t);
  const suiteId = await openSeason(sql, desk);
  const { raceId, start } = await startRace(sql, desk, suiteId);
  const own = await claimRun(desk, 'val-a');
  await over(sql, raceId);

  await desk.ok('race-ended', { raceId, agentVersionIds: [versionIdAt(1)], reason: 'RACE_ENDED' });
  await desk.ok('race-ended', { raceId, agentVersionIds: [versionIdAt(1)], reason: 'RACE_ENDED' });

  t.like((await itemOf(sql, raceId))[0], { state: 'CANCELLED', reason: 'RACE_ENDED' });
  const [run] = await sql`
    select status, end_reason, failure_class from evaluation_run where eval_run_id = ${own.evalRunId}`;
  t.deepEqual({ ...run }, { status: 'CANCELLED', end_reason: 'RACE_ENDED', failure_class: null });
  t.is((await sentOf(sql, 'work-changed')).length, 0);
  // News of the start that comes after the end opens nothing.
  t.like((await desk.do('race-started', start)).reply, { kind: 'fault', code: 'RACE_OVER' });
  t.is((await desk.ok('claim-work', claimOf('val-c')))['run'], null);
});

test('a completion that waits for the end of its race is refused then', async (t) => {
  const { sql, desk } = await openWorld(t);
  const suiteId = await openSeason(sql, desk);
  const { raceId } = await startRace(sql, desk, suiteId);
  const own = await claimRun(desk, 'val-a');
  const results = [0, 1, 2].map((n) => episode(n, { taskId: raceTask(n) }));
  await desk.ok('append-results', { ...own, results });

  let pending: ReturnType<typeof desk.do> | undefined;
  await holdLock(sql, takeRace(raceId), async (tx) => {
    pending = desk.do('complete-run', { ...own, ...completion() });
    await until(async () => (await waiting(sql)) === 1);
    await tx`update race set status = 'RACE_COMPLETE', completed_at = now() where race_id = ${raceId}`;
  });

  t.like(await pending, {
    reply: { kind: 'fault', code: 'NOT_RUN_OWNER', extras: { run_status: 'CANCELLED' } },
    outcome: undefined,
  });
  const [run] = await sql`select status from evaluation_run where eval_run_id = ${own.evalRunId}`;
  t.is(run?.['status'], 'RUNNING');
});

/** Sessions of this database that wait for a lock. */
async function waiting(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return row?.count ?? 0;
}

const touches: [string, (desk: Desk, own: Record<string, unknown>) => Promise<unknown>][] = [
  ['a first heartbeat', (desk, own) => desk.do('heartbeat', own)],
  ['a release', (desk, own) => desk.do('release-run', own)],
  ['a reclaim', (desk, own) => desk.do('reclaim-run', own)],
];

for (const [what, act] of touches) {
  test(`${what} of a race that is over changes nothing`, async (t) => {
    const { sql, desk } = await openWorld(t);
    const suiteId = await openSeason(sql, desk);
    const { raceId } = await startRace(sql, desk, suiteId);
    const own = await claimRun(desk, 'val-a');
    await over(sql, raceId);

    const { reply } = (await act(desk, own)) as { reply: { kind: string; code: string } };

    t.is(reply.kind, 'fault');
    t.is(reply.code, what === 'a reclaim' ? 'RACE_OVER' : 'LEASE_EXPIRED');
    t.is((await sql`select 1 from evaluation_run where status = 'CLAIMED'`).length, 1);
  });
}

test('results of a race that is over are unprocessable, each for itself', async (t) => {
  const { sql, desk } = await openWorld(t);
  const suiteId = await openSeason(sql, desk);
  const { raceId } = await startRace(sql, desk, suiteId);
  const own = await claimRun(desk, 'val-a');
  await over(sql, raceId);

  const reply = await desk.ok('append-results', {
    ...own,
    results: [episode(0, { taskId: raceTask(0) })],
  });

  t.like((reply['items'] as unknown[])[0], { status: 422 });
});

test('an eligibility counts for the race that was open when it became durable', async (t) => {
  const { sql, desk } = await openWorld(t);
  const suiteId = await addSuite(sql);
  const first = await addRace(sql, { suiteId, status: 'QUALIFYING_OPEN' });
  for (const index of [1, 2, 3]) await desk.ok('submit-version', submission(index));
  const evaluate = async (slot: string) => {
    await succeed(desk, `val-${slot}-a`);
    return succeed(desk, `val-${slot}-b`);
  };
  await evaluate('x');

  // The second waits for the close, and so comes after it.
  await succeed(desk, 'val-y-a');
  let waiter: Promise<unknown> | undefined;
  await holdLock(sql, takeRace(first), async (tx) => {
    waiter = succeed(desk, 'val-y-b');
    await until(async () => (await waiting(sql)) === 1);
    await tx`update race set status = 'QUALIFYING_CLOSED', closed_at = now() where race_id = ${first}`;
  });
  await waiter;
  await over(sql, first);
  const second = await addRace(sql, { suiteId, raceNumber: 2, status: 'QUALIFYING_OPEN' });
  await evaluate('z');

  const rows = await sql<{ race: string | null }[]>`
    select eligible_in_race_id as race from agent_version order by eligible_at`;
  t.deepEqual(
    rows.map(({ race }) => race),
    [first, null, second],
  );
});

test('a commit that waits for the end of a race holds its successor as well', async (t) => {
  const { sql, desk } = await openWorld(t);
  const suiteId = await addSuite(sql);
  const first = await addRace(sql, { suiteId });
  let waiter: Promise<unknown> | undefined;
  await holdLock(sql, takeRace(first), async (tx) => {
    waiter = desk.ok('submit-version', submission(1));
    await until(async () => (await waiting(sql)) === 1);
    await tx`update race set status = 'RACE_COMPLETE', completed_at = now() where race_id = ${first}`;
    await tx`
      insert into race (race_id, part, suite_id, race_number, status, policy_version, policy,
                        opened_at, qualifying_closes_at)
      values (gen_random_uuid(), 1, ${suiteId}, 2, 'QUALIFYING_OPEN', 0, '{}', now(), now())`;
    await tx`update suite set required_successes_qualifying = 3 where suite_id = ${suiteId}`;
  });
  await waiter;

  // Admitted after the opening, so under its rules.
  const [version] = await sql`select required_successes from agent_version`;
  t.is(version?.['required_successes'], 3);
});

test('qualifying work that changes no score waits for no race', async (t) => {
  const { sql, desk } = await openWorld(t);
  const suiteId = await addSuite(sql);
  const raceId = await addRace(sql, { suiteId, status: 'QUALIFYING_OPEN' });
  await desk.ok('submit-version', submission(1));

  await holdLock(sql, takeRace(raceId), async () => {
    await succeed(desk, 'val-a');
    const own = await claimRun(desk, 'val-b');
    await desk.ok('heartbeat', own);
    await desk.ok('release-run', own);
  });

  t.is((await sql`select 1 from evaluation_run where status = 'SUCCESS'`).length, 1);
});

test('a ban takes a validator’s say in a race that runs, not in one that is over', async (t) => {
  const { sql, desk } = await openWorld(t);
  const suiteId = await openSeason(sql, desk);
  const former = await startRace(sql, desk, suiteId);
  for (const validator of ['val-a', 'val-b']) await succeed(desk, validator, raceTask);
  await over(sql, former.raceId);
  await desk.ok('race-ended', { ...former.start, reason: 'RACE_ENDED' });
  const raceId = await addRace(sql, { suiteId, raceNumber: 2 });
  await desk.ok('race-started', { ...former.start, raceId });
  for (const validator of ['val-a', 'val-b']) await succeed(desk, validator, raceTask);
  t.like((await itemOf(sql, raceId))[0], { state: 'CLOSED' });
  await desk.takeOver();

  await sql`insert into hotkey_ban (hotkey, reason, banned_at) values ('val-a', 'cheat', now())`;
  await desk.ok('hotkey-banned', { hotkey: 'val-a' });

  t.like((await itemOf(sql, raceId))[0], { state: 'OPEN', included: 1 });
  t.like((await itemOf(sql, former.raceId))[0], { state: 'CLOSED', included: 2 });
  const [version] = await sql`select qualifying_score, state from agent_version`;
  t.deepEqual({ ...version }, { qualifying_score: '0.5000', state: 'ELIGIBLE' });
  t.is((await sentOf(sql, 'work-changed')).length, 3);
  t.not((await desk.ok('claim-work', claimOf('val-c')))['run'], null);
  await tellsOneStory(t, sql);
});

test('of a race that is over a ban takes nothing, though nobody has told of its end', async (t) => {
  const { sql, desk } = await openWorld(t);
  const suiteId = await openSeason(sql, desk);
  const { raceId } = await startRace(sql, desk, suiteId);
  for (const validator of ['val-a', 'val-b']) await succeed(desk, validator, raceTask);
  await over(sql, raceId);

  // Memory has the race as running still; the commit knows better.
  await sql`insert into hotkey_ban (hotkey, reason, banned_at) values ('val-a', 'cheat', now())`;
  await desk.ok('hotkey-banned', { hotkey: 'val-a' });

  t.like((await itemOf(sql, raceId))[0], { state: 'CLOSED', included: 2 });
  const excluded = await sql`select from evaluation_run where exclusion_reason is not null`;
  t.is(excluded.length, 0);
  await tellsOneStory(t, sql);
});
