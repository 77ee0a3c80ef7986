import test, { type ExecutionContext } from 'ava';
import type { Sql } from '../../../infra/ports/sql.ts';
import { hourMs, openRaceDesk, type RaceDesk, startMs } from '../../support/race-desk.ts';
import {
  raceAt,
  runToEnd,
  runToStart,
  type SeedSuite,
  seedSuite,
  seedVersion,
  switchTo,
} from '../../support/race-seeds.ts';

async function startedDesk(t: ExecutionContext, suite: SeedSuite = {}): Promise<RaceDesk> {
  const desk = await openRaceDesk(t);
  await seedSuite(desk.sql, suite);
  await seedVersion(desk.sql, { hotkey: 'a' });
  await runToStart(desk);
  return desk;
}

async function tasks({ sql }: RaceDesk) {
  return await sql<{ ordinal: number; taskId: string | null; family: string | null }[]>`
    select ordinal, task_id as "taskId", family from race_task order by ordinal`;
}

async function raceOn(sql: Sql, raceTasks: number): Promise<void> {
  await sql`
    insert into race_policy (policy_version, overrides, actor, created_at)
    values (1, ${sql.json({ raceTasks })}, 'test', now())`;
}

/** How many different problems were drawn by the end of each race. */
async function distinctProblems(sql: Sql): Promise<readonly number[]> {
  const rows = await sql<{ drawn: number }[]>`
    select (select count(distinct d.problem_id)
            from race_task d
            join race past using (race_id)
            where past.race_number <= r.race_number)::int as drawn
    from race r
    where r.started_at is not null
    order by r.race_number`;
  return rows.map(({ drawn }) => drawn);
}

/** A suite of the same partition whose pack has the same tasks under other ids. */
async function builtAgain(sql: Sql): Promise<number> {
  const other = 'cd'.repeat(32);
  let suiteId = 0;
  while (suiteId % 4 !== 1) suiteId = await seedSuite(sql, { isActive: false });
  await sql`
    insert into pack (pack_sha256, size_bytes, manifest, task_count, family_counts, created_at)
    select ${other}, size_bytes, manifest, task_count, family_counts, created_at from pack`;
  await sql`
    insert into pack_task (pack_sha256, ordinal, task_id, family, goal_text)
    select ${other}, ordinal, 'again-' || ordinal, family, goal_text from pack_task`;
  await sql`update suite_problem set goal_text = 'buy ' || substring(task_id from '[0-9]+$')`;
  await sql`update suite set env_pack_sha256 = ${other} where suite_id = ${suiteId}`;
  return suiteId;
}

test('a race starts right after its close, with a limit', async (t) => {
  const desk = await startedDesk(t);
  const [race] = await desk.sql`
    select status, rt.milliseconds(started_at)::float8 as started,
           rt.milliseconds(deadline_at)::float8 as deadline
    from race`;
  const startedMs = startMs + hourMs;
  t.like(race, { status: 'RACE_RUNNING', started: startedMs, deadline: startedMs + 20 * hourMs });
  t.is(desk.nextDueMs(), startedMs + 20 * hourMs);
});

test('only tasks that qualifying never showed are drawn, balanced over families', async (t) => {
  const desk = await openRaceDesk(t);
  await seedSuite(desk.sql, { taskCount: 60 });
  await seedVersion(desk.sql, { hotkey: 'a' });
  await desk.sql`
    insert into race_policy (policy_version, overrides, actor, created_at)
    values (1, '{"raceTasks": 12}', 'test', now())`;
  await runToStart(desk);
  const drawn = await tasks(desk);
  t.is(drawn.length, 12);
  t.deepEqual(
    drawn.map(({ ordinal }) => ordinal),
    drawn.map((_, index) => index),
  );
  const shown = await desk.sql`
    select task_id from race_task join suite_problem using (task_id)`;
  t.deepEqual([...shown], []);
  const byFamily = Map.groupBy(drawn, ({ family }) => family);
  t.deepEqual(
    [...byFamily.values()].map(({ length }) => length),
    [4, 4, 4],
  );
});

// Miners may have seen what ran on the lost one.
test('a race that a lost branch of history had as well draws other tasks', async (t) => {
  const drawnOn = async (branch: number) => {
    const desk = await openRaceDesk(t);
    desk.branch = branch;
    await desk.takeOver();
    await seedSuite(desk.sql, { taskCount: 60 });
    await raceOn(desk.sql, 12);
    await seedVersion(desk.sql, { hotkey: 'a' });
    const raceId = await runToStart(desk);
    return { raceId, drawn: await tasks(desk) };
  };
  const [lost, again, restored] = [await drawnOn(0), await drawnOn(0), await drawnOn(1)];

  t.deepEqual(again, lost);
  t.is(restored.raceId, lost.raceId);
  t.notDeepEqual(restored.drawn, lost.drawn);
});

for (const kind of ['envpack', 'legacy_benchmark'] as const) {
  test(`tasks that no race had go first, of a suite of kind ${kind}`, async (t) => {
    const desk = await openRaceDesk(t);
    await seedSuite(desk.sql, { kind, taskCount: kind === 'envpack' ? 60 : 30 });
    await raceOn(desk.sql, 12);
    const work = new Map([[await seedVersion(desk.sql, { hotkey: 'a' }), { micro: [600_000] }]]);
    for (const raceNumber of [1, 2, 3]) {
      await runToEnd(desk, await runToStart(desk, raceNumber), work);
    }
    t.deepEqual(await distinctProblems(desk.sql), [12, 24, 30]);
  });
}

test('a task that a race had is known by its goal in a pack that was built again', async (t) => {
  const desk = await openRaceDesk(t);
  const { sql } = desk;
  await seedSuite(sql, { taskCount: 60 });
  await raceOn(sql, 12);
  await sql`update pack_task set goal_text = 'buy ' || ordinal`;
  const agentVersionId = await seedVersion(sql, { hotkey: 'a' });
  await runToEnd(desk, await runToStart(desk), new Map([[agentVersionId, { micro: [600_000] }]]));
  const suiteId = await builtAgain(sql);
  await switchTo(sql, suiteId);
  await desk.send('suite-activated', { suiteId });
  await seedVersion(sql, { hotkey: 'b', suiteId });
  desk.nowMs = (await raceAt(sql, 1, suiteId)).closesAtMs;
  await desk.tick();
  const [told] = await sql`
    select count(distinct substring(task_id from '[0-9]+$'))::int as tasks,
      count(*)::int as draws
    from race_task`;
  t.like(told, { draws: 24, tasks: 24 });
});

test('what any suite of the pack shows is drawn in none', async (t) => {
  const desk = await openRaceDesk(t);
  await seedSuite(desk.sql, { taskCount: 12 });
  await seedVersion(desk.sql, { hotkey: 'a' });
  const other = await seedSuite(desk.sql, { isActive: false });
  await desk.sql`
    update suite_problem set task_id = 'task-' || ordinal + 1
    where suite_id = ${other} and ordinal < 6`;
  await runToStart(desk);
  t.deepEqual((await tasks(desk)).map(({ taskId }) => taskId).sort(), [
    'task-11',
    'task-7',
    'task-9',
  ]);
});

test('what a suite of another pack shows is public by its goal, where that is of one task', async (t) => {
  const desk = await openRaceDesk(t);
  await seedSuite(desk.sql, { taskCount: 12 });
  await seedVersion(desk.sql, { hotkey: 'a' });
  await desk.sql`
    update pack_task set goal_text = 'buy ' || ordinal where ordinal in (1, 3, 5)`;
  const other = await seedSuite(desk.sql, { isActive: false });
  await desk.sql`
    update suite set env_pack_sha256 = ${'cd'.repeat(32)} where suite_id = ${other}`;
  await desk.sql`
    update suite_problem
    set task_id = 'other-' || ordinal, goal_text = case ordinal when 0 then 'buy' else 'buy 3' end
    where suite_id = ${other}`;
  await runToStart(desk);
  const drawn = (await tasks(desk)).map(({ taskId }) => taskId);
  t.deepEqual(drawn.sort(), ['task-1', 'task-11', 'task-5', 'task-7', 'task-9']);
});

test('a start that was lost draws the same tasks again', async (t) => {
  const desk = await openRaceDesk(t);
  await seedSuite(desk.sql, { taskCount: 60 });
  await desk.sql`
    insert into race_policy (policy_version, overrides, actor, created_at)
    values (1, '{"raceTasks": 9}', 'test', now())`;
  await seedVersion(desk.sql, { hotkey: 'a' });
  await desk.send('suite-activated', { suiteId: 1 });
  const { raceId } = await raceAt(desk.sql, 1);
  await desk.send('close-qualifying', { raceId });
  const lost = () => desk.sql`select * from no_such_table`;
  await t.throwsAsync(desk.send('start-race', { raceId }, { meanwhile: async () => lost() }));
  t.deepEqual([...(await tasks(desk))], []);
  await desk.takeOver();
  await desk.tick();
  const first = await tasks(desk);
  await desk.sql`delete from race_task`;
  await desk.sql`
    update rt.snapshot set value = '"qualifyingClosed"', seq = 2 where machine = 'race'`;
  await desk.sql`delete from rt.event where seq = 3`;
  await desk.sql`delete from rt.inbox`;
  await desk.sql`delete from rt.outbox`;
  await desk.takeOver();
  await desk.tick();
  t.deepEqual(await tasks(desk), first);
});

test('a legacy suite races on its held-out problems', async (t) => {
  const desk = await startedDesk(t, { kind: 'legacy_benchmark', taskCount: 4 });
  const drawn = await desk.sql`
    select p.phase from race_task join suite_problem p using (problem_id)`;
  t.deepEqual(
    drawn.map(({ phase }) => phase),
    ['RACE', 'RACE', 'RACE', 'RACE'],
  );
});

test('a race that starts with fewer tasks than it asks for says so once it has', async (t) => {
  const desk = await openRaceDesk(t);
  await seedSuite(desk.sql, { taskCount: 12 });
  await seedVersion(desk.sql, { hotkey: 'a' });
  await desk.send('suite-activated', { suiteId: 1 });
  const { raceId } = await raceAt(desk.sql, 1);
  await desk.send('close-qualifying', { raceId });
  const lost = () => desk.sql`select * from no_such_table`;
  await t.throwsAsync(desk.send('start-race', { raceId }, { meanwhile: async () => lost() }));
  t.deepEqual(desk.warnings, []);
  await desk.tick();

  t.is((await tasks(desk)).length, 6);
  const fields = { raceId, suiteId: 1, raceNumber: 1, tasks: 6, askedFor: 90 };
  const message = 'a race starts with fewer tasks than it asks for';
  t.deepEqual(desk.warnings, [{ message, fields }]);
});

test('a race with as many tasks as it asks for says nothing', async (t) => {
  const desk = await openRaceDesk(t);
  await seedSuite(desk.sql, { taskCount: 12 });
  await seedVersion(desk.sql, { hotkey: 'a' });
  await desk.sql`
    insert into race_policy (policy_version, overrides, actor, created_at)
    values (1, '{"raceTasks": 6}', 'test', now())`;
  await runToStart(desk);
  t.is((await tasks(desk)).length, 6);
  t.deepEqual(desk.warnings, []);
});

test('a suite that holds nothing out cannot race', async (t) => {
  const desk = await startedDesk(t, { taskCount: 1 });
  t.like(await raceAt(desk.sql, 1), { status: 'RACE_CANCELLED', cancelReason: 'NO_TASK' });
  t.like(await raceAt(desk.sql, 2), { status: 'QUALIFYING_OPEN' });
});

test('every eval partition with an entrant is told once which ones', async (t) => {
  const desk = await openRaceDesk(t);
  await seedSuite(desk.sql);
  const versionIds = new Set<string>();
  for (let index = 0; index < 100; index += 1) {
    versionIds.add(await seedVersion(desk.sql, { hotkey: `hotkey-${index}` }));
  }
  const raceId = await runToStart(desk);
  const told = await desk.sql<{ part: number; body: Record<string, unknown> }[]>`
    select target_part as part, body from rt.outbox where subject like 'evt.eval.%.race-started'`;
  t.is(new Set(told.map(({ part }) => part)).size, told.length);
  const ids = told.flatMap(({ body }) => body['agentVersionIds'] as string[]);
  t.deepEqual(ids.toSorted(), [...versionIds].sort());
  t.like(told[0]?.body, { raceId, suiteId: 1, requiredSuccesses: 2 });
});

test('an order to start closes a race that is still open', async (t) => {
  const desk = await openRaceDesk(t);
  await seedSuite(desk.sql);
  await seedVersion(desk.sql, { hotkey: 'a' });
  await desk.send('suite-activated', { suiteId: 1 });
  const { raceId } = await raceAt(desk.sql, 1);
  const { reply } = await desk.send('start-race', { raceId });
  t.deepEqual(reply, { kind: 'ok', body: { raceId, status: 'RACE_RUNNING' } });
  t.like(await raceAt(desk.sql, 1), { status: 'RACE_RUNNING', qualifierCount: 1 });
});

test('orders for unknown and finished races are refused', async (t) => {
  const desk = await startedDesk(t);
  const { raceId } = await raceAt(desk.sql, 1);
  const cancelled = await desk.send('cancel-race', { raceId, reason: 'wrong tasks' });
  t.like(cancelled.reply, { kind: 'ok', body: { status: 'RACE_CANCELLED' } });
  t.like(await raceAt(desk.sql, 1), { cancelReason: 'wrong tasks' });
  t.like(await raceAt(desk.sql, 2), { status: 'QUALIFYING_OPEN' });
  const again = await desk.send('cancel-race', { raceId, reason: 'wrong tasks' });
  t.like(again.reply, { kind: 'fault', code: 'RACE_OVER' });
  const unknown = await desk.send('start-race', { raceId: crypto.randomUUID() });
  t.like(unknown.reply, { kind: 'fault', code: 'RACE_NOT_FOUND' });
  const told = await desk.sql`
    select body ->> 'reason' as reason from rt.outbox where subject like 'evt.eval.%.race-ended'`;
  t.deepEqual([...told], [{ reason: 'wrong tasks' }]);
});
