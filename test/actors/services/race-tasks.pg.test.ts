import test, { type ExecutionContext } from 'ava';
import { createRaceTaskWatch } from '../../../actors/services/race-tasks/race-tasks.actor.ts';
import { readRaceTasks } from '../../../actors/services/race-tasks/read-race-tasks.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { testDatabase } from '../../support/cluster.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { raceAt, type SeedSuite, seedSuite } from '../../support/race-seeds.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';
import { addRace, type TrialRace } from '../../support/trial-races.ts';
import { until } from '../../support/until.ts';

/** What an edge may read of a suite with one open race. */
async function openSuite(t: ExecutionContext, suite: SeedSuite = {}) {
  const { sql, url } = await testDatabase(t);
  const edge = createSql({ url, applicationName: 'edge', role: 'paddock_edge', max: 1 });
  t.teardown(() => closeSql(edge));
  const suiteId = await seedSuite(sql, suite);
  const race: TrialRace = { suiteId, raceNumber: 1, entrants: [], status: 'QUALIFYING_OPEN' };
  const raceId = await addRace(sql, race);
  return { sql, edge, suiteId, raceId, tasks: () => readRaceTasks(edge) };
}

test('an edge sees how many tasks a race could draw, and no task', async (t) => {
  const { edge, tasks } = await openSuite(t, { taskCount: 12 });
  t.deepEqual(await tasks(), { heldOut: 6, unraced: 6, askedFor: 90 });
  const denied = { message: /permission denied/ };
  await t.throwsAsync(edge`select task_id from pack_task`, denied);
  await t.throwsAsync(edge`select task_id from rt.tasks_of_packs(array['x'])`, denied);
});

test('what other suites show is no longer held out, by its id or by its goal', async (t) => {
  const { sql, tasks } = await openSuite(t, { taskCount: 12 });
  await sql`update pack_task set goal_text = 'buy ' || ordinal where ordinal in (1, 3)`;
  const other = await seedSuite(sql, { isActive: false });
  t.like(await tasks(), { heldOut: 6 });
  await sql`
    update suite_problem set task_id = 'task-11' where suite_id = ${other} and ordinal = 0`;
  t.like(await tasks(), { heldOut: 5 });
  await sql`update suite set env_pack_sha256 = ${'cd'.repeat(32)} where suite_id = ${other}`;
  await sql`
    update suite_problem set goal_text = case ordinal when 2 then 'buy 3' else 'buy' end
    where suite_id = ${other}`;
  t.like(await tasks(), { heldOut: 5 });
});

const otherPack = 'cd'.repeat(32);

/** A suite of a pack of its own, whose races had what `tasks` says: its task `old-N` has the goal `old N`. */
async function otherSuite(sql: Sql, tasks: number): Promise<number> {
  const suiteId = await seedSuite(sql, { isActive: false });
  await sql`
    insert into pack (pack_sha256, size_bytes, manifest, task_count, family_counts, created_at)
    values (${otherPack}, 1, '{}', ${tasks}, '{}', now())`;
  await sql`
    insert into pack_task (pack_sha256, ordinal, task_id, family, goal_text)
    select ${otherPack}, n, 'old-' || n, 'family-0', 'old ' || n
    from generate_series(0, ${tasks - 1}::int) n`;
  await sql`update suite set env_pack_sha256 = ${otherPack} where suite_id = ${suiteId}`;
  return suiteId;
}

test('what a race had is told apart, by its id or by its goal in another pack', async (t) => {
  const { sql, tasks, raceId } = await openSuite(t, { taskCount: 12 });
  await sql`update pack_task set goal_text = 'buy ' || ordinal`;
  const had = async (race: string, taskId: string) =>
    await sql`
      insert into race_task (race_id, problem_id, ordinal, task_id)
      values (${race}, gen_random_uuid(), 0, ${taskId})`;
  const suiteId = await otherSuite(sql, 12);
  const other = await addRace(sql, { suiteId, raceNumber: 1, entrants: [] });
  await had(other, 'old-3');
  t.like(await tasks(), { heldOut: 6, unraced: 6 }, 'another task, with another goal');
  await sql`update pack_task set goal_text = 'old 3' where task_id = 'task-5'`;
  t.like(await tasks(), { heldOut: 6, unraced: 5 }, 'its goal alone');
  await sql`update pack_task set goal_text = 'buy' where pack_sha256 <> ${otherPack}`;
  t.like(await tasks(), { heldOut: 6, unraced: 6 });
  await had(raceId, 'task-7');
  t.like(await tasks(), { heldOut: 6, unraced: 5 }, 'its id alone, for its goal is that of many');
});

test('what races had for years is not read to count what is left', async (t) => {
  const { sql, tasks, suiteId } = await openSuite(t, { taskCount: 12 });
  await sql`update pack_task set goal_text = 'buy ' || ordinal`;
  const other = await otherSuite(sql, 900);
  for (let number = 1; number <= 400; number += 1) {
    await addRace(sql, { suiteId: other, raceNumber: number, entrants: [] });
  }
  await sql`
    insert into race_task (race_id, problem_id, ordinal, task_id)
    select race_id, gen_random_uuid(), n, 'old-' || (race_number * 50 + n) % 900
    from race, generate_series(1, 50) n
    where suite_id = ${other}`;
  await sql`analyze`;
  t.like(await tasks(), { heldOut: 6, unraced: 6 });
  const rows = await sql.begin(async (tx) => {
    await tx`select * from rt.held_out_counts(${suiteId})`;
    const [read] = await tx<{ rows: number }[]>`
      select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows
      from pg_stat_xact_user_tables
      where relname = 'race_task'`;
    return read?.rows ?? Number.NaN;
  });
  t.true(rows < 1_000, `${rows} of 20,000 rows were read`);
});

test('of a legacy suite the problems of its races are counted', async (t) => {
  const { sql, tasks, raceId } = await openSuite(t, { kind: 'legacy_benchmark', taskCount: 4 });
  t.deepEqual(await tasks(), { heldOut: 4, unraced: 4, askedFor: 90 });
  t.is((await raceAt(sql, 1)).raceId, raceId);
  await sql`update race set status = 'RACE_CANCELLED'`;
  t.is(await tasks(), null);
});

test('a coordinator measures how many tasks a race lacks', async (t) => {
  const { sql } = await openSuite(t, { taskCount: 12 });
  const clock = new ManualClock();
  let read: (() => number | undefined) | undefined;
  let unraced: typeof read;
  const watch = createRaceTaskWatch({
    ...{ sql, clock, log: silentLogger },
    telemetry: {
      gauge: (name, look) => {
        if (name === 'paddock.race.unraced_tasks') unraced = look;
        if (name !== 'paddock.race.missing_tasks') return () => undefined;
        read = look;
        return () => {
          read = undefined;
        };
      },
    },
  });
  await watch.start();
  t.is(read?.(), undefined, 'nothing was counted yet');
  const measured = async (missing: number) => {
    await clock.advance(30_000);
    await until(async () => read?.() === missing);
  };
  await measured(84);
  await sql`update race set policy = jsonb_set(policy, '{raceTasks}', '6')`;
  await measured(0);
  await sql`update race set policy = jsonb_set(policy, '{raceTasks}', '7')`;
  await measured(1);
  t.is(unraced?.(), 6);
  await watch.stop();
  t.is(read, undefined);
});
