import test from 'ava';
import { selectRuns } from '../../../actors/services/operator/rejudging/store.ts';
import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';
import { plantRace, plantVersion } from '../../support/planted-races.ts';
import { seedSuite } from '../../support/race-seeds.ts';

const nothing = {
  ...{ validatorHotkey: null, agentVersionId: null, phase: null, envPackSha256: null },
  ...{ claimedFromMs: null, claimedUntilMs: null, taskId: null },
};

/** Counted runs of one version, each with the results of `tasks`; of qualifying where no race is given. */
async function plantRuns(
  sql: Sql,
  runs: {
    readonly count: number;
    readonly suiteId: number;
    readonly agentVersionId: string;
    readonly raceId?: string;
    readonly tasks: readonly string[];
  },
): Promise<void> {
  const { count, suiteId, agentVersionId, raceId = null, tasks } = runs;
  await transaction(sql, {}, async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      with run as (
        insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
          race_id, execution_kind, validator_hotkey, slot, fence, status, is_included, claimed_at,
          lease_expires_at, completed_at, expected_items)
        select gen_random_uuid(), 0, gen_random_uuid(), ${agentVersionId}, ${suiteId},
          ${raceId === null ? 'QUALIFYING' : 'RACE'}, ${raceId}, 'envpack', 'val-' || n, 0, n,
          'SUCCESS', true, rt.clock() - n * interval '1 second', rt.clock(), rt.clock(),
          ${tasks.length}
        from generate_series(1, ${count}) n
        returning eval_run_id, part)
      insert into episode_result (eval_run_id, task_id, episode_result_id, part, family, outcome,
        verdict_correct, verdict_checks, reward_components, reward_micro, wall_seconds,
        terminal_state_hash, step_count, created_at)
      select eval_run_id, task_id, gen_random_uuid(), part, 'find', 'completed', true, '{}', '{}', 0, 1,
        ${'a'.repeat(64)}, 1, rt.clock()
      from run, unnest(${[...tasks]}::text[]) as task_id`;
  });
}

async function rowsRead(tx: Transaction): Promise<number> {
  const [read] = await tx<{ rows: number }[]>`
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows
    from pg_stat_xact_user_tables
    where relname in ('episode_result', 'evaluation_run', 'problem_progress')`;
  return read?.rows ?? Number.NaN;
}

test('of a task that one race had, the runs of that race alone are looked at', async (t) => {
  const { sql } = await testDatabase(t);
  const suiteId = await seedSuite(sql);
  const agentVersionId = await plantVersion(sql, { suiteId, hotkey: 'alice' });
  const planted = { suiteId, agentVersionId };
  const [then, lately] = [
    await plantRace(sql, { suiteId, raceNumber: 1, status: 'RACE_COMPLETE' }),
    await plantRace(sql, { suiteId, raceNumber: 2, status: 'RACE_COMPLETE' }),
  ];
  await sql`
    insert into race_task (race_id, ordinal, problem_id, task_id)
    values (${then}, 0, gen_random_uuid(), 'held-1'), (${lately}, 0, gen_random_uuid(), 'held-2')`;
  await plantRuns(sql, { ...planted, count: 10_000, tasks: ['task-000', 'task-002'] });
  await plantRuns(sql, { ...planted, count: 10_000, raceId: then, tasks: ['held-1'] });
  await plantRuns(sql, { ...planted, count: 10, raceId: lately, tasks: ['held-2'] });
  await sql`analyze`;
  const select = (taskId: string, limit: number) =>
    sql.begin(async (tx) => {
      const found = await selectRuns(tx, { ...nothing, taskId }, limit);
      return { found, rows: await rowsRead(tx) };
    });

  const rare = await select('held-2', 501);
  t.is(rare.found.length, 10);
  t.true(rare.found.every(({ raceId }) => raceId === lately));
  t.true(rare.rows < 500, `${rare.rows} rows were read`);
  t.is((await select('held-3', 501)).found.length, 0);
});
