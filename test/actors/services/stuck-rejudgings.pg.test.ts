import test from 'ava';
import { countStuck } from '../../../actors/services/stuck/find-stuck.ts';
import { stuckRecords } from '../../../actors/services/stuck/kinds.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';
import { lookedAt } from '../../support/looked-at.ts';

const runsEach = 10;

/** `count` rejudgings of an hour ago, and their work; of each the last run was not offered or not judged. */
async function addRejudgings(
  sql: Sql,
  { count, state, works }: { count: number; state: 'APPLIED' | 'JUDGED' | 'OPEN'; works: number },
): Promise<void> {
  await transaction(sql, {}, async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      with added as (
        insert into rejudging (rejudging_id, suite_id, criteria, actor, created_at, applied_at)
        select gen_random_uuid(), 1, '{}', 'operator:ann', rt.clock() - interval '1 hour',
          case when ${state} <> 'OPEN' then rt.clock() - interval '1 hour' end
        from generate_series(1, ${count}::int)
        returning rejudging_id
      ), run as (
        insert into rejudging_run (rejudging_id, ordinal, eval_run_id)
        select rejudging_id, n, gen_random_uuid() from added, generate_series(1, ${runsEach}::int) n
        returning rejudging_id, ordinal, eval_run_id
      )
      insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, suite_id, phase,
        state, required_successes, queued_at, queue_order_at, closed_at, rejudging_id,
        judged_run_id)
      select gen_random_uuid(), 0, gen_random_uuid(), 'miner', 1, 'QUALIFYING', ${state}, 1,
        rt.clock(), rt.clock(), case when ${state} <> 'OPEN' then rt.clock() end, rejudging_id,
        eval_run_id
      from run
      where ordinal <= ${works}`;
  });
}

// A coordinator counts them every ten seconds, and who asks for the overview does.
test('rejudgings that ended are not read again to see whether any is stuck', async (t) => {
  const { sql } = await testDatabase(t);
  await addRejudgings(sql, { count: 300, state: 'APPLIED', works: runsEach });
  t.is((await countStuck(sql, stuckRecords)).get('rejudging')?.count, 0);
  await addRejudgings(sql, { count: 1, state: 'JUDGED', works: 1 });
  await addRejudgings(sql, { count: 1, state: 'OPEN', works: runsEach - 1 });
  await sql`analyze rejudging, rejudging_run, work_item`;

  for (const table of ['rejudging', 'rejudging_run', 'work_item'] as const) {
    const [counts, looked] = await lookedAt(sql, table, (tx) => countStuck(tx, stuckRecords));
    t.is(counts.get('rejudging')?.count, 2);
    t.true(looked > 0 && looked <= 4 * runsEach, `${looked} rows of ${table} were read`);
  }
});
