import test, { type ExecutionContext } from 'ava';
import { createRaceTaskWatch } from '../../../actors/services/race-tasks/race-tasks.actor.ts';
import { readRaceTasks } from '../../../actors/services/race-tasks/read-race-tasks.ts';
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

test('what a race had is told apart, by its id or by its goal in another pack', async (t) => {
  const { sql, tasks, raceId } = await openSuite(t, { taskCount: 12 });
  await sql`update pack_task set goal_text = 'buy ' || ordinal`;
  t.like(await tasks(), { heldOut: 6, unraced: 6 });
  await sql`
    insert into race_task (race_id, problem_id, ordinal, task_id, family)
    select ${raceId}, gen_random_uuid(), row_number() over (), task_id, family
    from rt.held_out_tasks((select suite_id from suite)) order by task_id limit 2`;
  t.like(await tasks(), { heldOut: 6, unraced: 4 });
});

test('what races had for years is not read to count what is left', async (t) => {
  const { sql, tasks, suiteId } = await openSuite(t, { taskCount: 12 });
  for (let number = 2; number <= 400; number += 1) {
    await addRace(sql, { suiteId, raceNumber: number, entrants: [], status: 'RACE_COMPLETE' });
  }
  await sql`
    insert into race_task (race_id, problem_id, ordinal, task_id)
    select race_id, gen_random_uuid(), n, 'of-another-' || n % 900
    from race, generate_series(1, 50) n`;
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
  t.true(rows < 1_000, `${rows} of 19,950 rows were read`);
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
