import test from 'ava';
import { deliverablePack } from '../../../apps/edge/reads/packs.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { testDatabase } from '../../support/cluster.ts';

const packSha256 = 'f'.repeat(64);

async function plantSuite(
  sql: Sql,
  suite: { readonly isActive: boolean; readonly taskIds: readonly string[] },
): Promise<number> {
  const [row] = await sql<{ suiteId: number }[]>`
    insert into suite (suite_version, is_active, execution_kind, benchmark_name, benchmark_number,
      env_pack_sha256, environment, qualifying_threshold, required_successes_qualifying,
      required_successes_race, created_at)
    values ((select count(*) + 1 from suite), ${suite.isActive}, 'envpack', 'shop', 1, ${packSha256},
      '{}', 0.55, 2, 2, rt.clock())
    returning suite_id as "suiteId"`;
  const suiteId = row?.suiteId ?? 0;
  for (const [ordinal, taskId] of suite.taskIds.entries()) {
    await sql`
      insert into suite_problem (suite_id, phase, ordinal, problem_id, task_id, family, goal_text,
        metadata)
      values (${suiteId}, 'QUALIFYING', ${ordinal}, gen_random_uuid(), ${taskId}, 'voucher', 'Buy.',
        '{}')`;
  }
  return suiteId;
}

interface PlantedRun {
  readonly suiteId: number;
  readonly validator: string;
  readonly phase?: 'QUALIFYING' | 'RACE';
  readonly status?: string;
}

async function plantRun(
  sql: Sql,
  { suiteId, validator, phase = 'QUALIFYING', status = 'RUNNING' }: PlantedRun,
): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
        race_id, execution_kind, env_pack_sha256, validator_hotkey, slot, fence, status, claimed_at,
        lease_expires_at, completed_at, expected_items)
      select gen_random_uuid(), 0, gen_random_uuid(), gen_random_uuid(), ${suiteId}, ${phase},
        ${phase === 'RACE' ? packSha256.slice(0, 32) : null}, 'envpack', ${packSha256}, ${validator},
        count(*), 1, ${status}, rt.clock(), rt.clock(),
        case when ${status}::text not in ('CLAIMED', 'RUNNING') then rt.clock() end, 3
      from evaluation_run`;
  });
}

/** Two suites of one pack, of which the second is active, and a race of each with a task of its own. */
async function plantSuites(
  sql: Sql,
): Promise<{ readonly former: number; readonly active: number }> {
  await sql`
    insert into pack (pack_sha256, size_bytes, manifest, task_count, family_counts, created_at)
    values (${packSha256}, 1, '{}', 5, '{}', rt.clock())`;
  const former = await plantSuite(sql, { isActive: false, taskIds: ['c', 'a', 'b'] });
  const active = await plantSuite(sql, { isActive: true, taskIds: ['b', 'd'] });
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into race_task (race_id, ordinal, problem_id, task_id, family)
      values (${packSha256.slice(0, 32)}, 0, gen_random_uuid(), 'held-out', 'voucher')`;
  });
  return { former, active };
}

test('a pack is delivered with the tasks of whatever qualifying runs the caller has, else of the active suite', async (t) => {
  const { sql } = await testDatabase(t);
  const { former, active } = await plantSuites(sql);
  const has = async (validator: string, ...runs: readonly Omit<PlantedRun, 'validator'>[]) => {
    for (const run of runs) await plantRun(sql, { ...run, validator });
    return (await deliverablePack(sql, packSha256, validator))?.taskIds;
  };

  t.deepEqual(await has('nothing'), ['b', 'd']);
  t.deepEqual(await has('of the former', { suiteId: former }), ['c', 'a', 'b']);
  t.deepEqual(await has('claimed', { suiteId: former, status: 'CLAIMED' }), ['c', 'a', 'b']);
  t.deepEqual(await has('of the active', { suiteId: active }), ['b', 'd']);
  for (const status of ['SUCCESS', 'FAILED', 'TIMED_OUT', 'STALE', 'CANCELLED']) {
    t.deepEqual(await has(`its run is ${status}`, { suiteId: former, status }), ['b', 'd']);
  }
  const both = await has('of both', { suiteId: former }, { suiteId: active });
  t.deepEqual(both, ['c', 'a', 'b', 'd'], 'each task once');
  const counts = (await deliverablePack(sql, packSha256, 'of both'))?.familyCounts;
  t.deepEqual(counts, { voucher: 4 });
});

test('a run of a race brings no task that is held out, and takes none from a qualifying run', async (t) => {
  const { sql } = await testDatabase(t);
  const { former, active } = await plantSuites(sql);
  const ask = async (validator: string) =>
    (await deliverablePack(sql, packSha256, validator))?.taskIds;
  const race = { phase: 'RACE' } as const;

  await plantRun(sql, { suiteId: former, validator: 'races', ...race });
  t.deepEqual(await ask('races'), ['b', 'd'], 'its own tasks come with the race');
  await plantRun(sql, { suiteId: active, validator: 'does both', ...race });
  await plantRun(sql, { suiteId: former, validator: 'does both' });
  t.deepEqual(await ask('does both'), ['c', 'a', 'b']);

  await sql`update suite set is_active = false`;
  t.deepEqual(await ask('races'), ['c', 'a', 'b'], 'of the suite that its run is evaluated on');
  t.is(await ask('nothing'), undefined);
});
