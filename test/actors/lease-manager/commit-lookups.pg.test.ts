import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { Transaction } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';

/** Where the planner would rather read a table than look a thousand rows up in it. */
const stored = 20_000;

/** One of each, and as many beside it as a busy month leaves behind. */
async function busyMonth(sql: Transaction) {
  const [agentVersionId, workItemId, evalRunId] = [randomUUID(), randomUUID(), randomUUID()];
  await sql`set local session_replication_role = replica`;
  await sql`
    insert into agent_version (agent_version_id, part, agent_id, agent_name, miner_hotkey,
      version_number, suite_id, state, submitted_at, code_sha256, code_size_bytes, required_successes)
    select case n when 0 then ${agentVersionId}::uuid else gen_random_uuid() end, 0,
      gen_random_uuid(), 'agent', 'miner-' || n, 1, 1, 'RUNNING', rt.clock(), '', 1, 3
    from generate_series(0, ${stored}) n`;
  await sql`
    insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, suite_id, phase, state,
      required_successes, queued_at, queue_order_at)
    select case n when 0 then ${workItemId}::uuid else gen_random_uuid() end, 0,
      case n when 0 then ${agentVersionId}::uuid else gen_random_uuid() end, 'miner-' || n, 1,
      'QUALIFYING', 'OPEN', 3, rt.clock(), rt.clock()
    from generate_series(0, ${stored}) n`;
  await sql`
    insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
      execution_kind, validator_hotkey, slot, fence, status, claimed_at, lease_expires_at,
      expected_items)
    select case n when 0 then ${evalRunId}::uuid else gen_random_uuid() end, 0,
      ${workItemId}::uuid, ${agentVersionId}::uuid, 1, 'QUALIFYING', 'ENV_PACK', 'validator-' || n, 1,
      n + 1, case n when 0 then 'RUNNING' else 'FAILED' end, rt.clock(), rt.clock(), 30
    from generate_series(0, ${stored}) n`;
  await sql`analyze agent_version, work_item, evaluation_run`;
  return { agentVersionId, workItemId, evalRunId };
}

test('a commit looks up what it changes, however much is stored beside it', async (t) => {
  const { sql } = await testDatabase();
  const { agentVersionId, workItemId, evalRunId } = await transaction(sql, {}, busyMonth);
  const [version] =
    await sql`select * from agent_version where agent_version_id = ${agentVersionId}`;
  const [work] = await sql`select * from work_item where work_item_id = ${workItemId}`;
  const [run] = await sql`select * from evaluation_run where eval_run_id = ${evalRunId}`;
  const operations = {
    agent_version: [version],
    work_item: [{ ...work, live_count: 1 }],
    run_completion: [{ ...run, failure_reason: 'it failed' }],
    evaluation_run: [{ ...run, status: 'FAILED', item_count: 7 }],
    adopt_run: [run],
  };

  const read = await transaction(sql, {}, async (tx) => {
    await tx`select eval_apply(0, 1, ${JSON.stringify(operations)}::text::jsonb, rt.clock())`;
    return await tx<{ table: string; rows: number }[]>`
      select relname as table, seq_tup_read::integer as rows
      from pg_stat_xact_user_tables where seq_tup_read > 0 order by relname`;
  });

  t.deepEqual([...read], []);
  const [after] = await sql`
    select status, item_count, failure_reason from evaluation_run where eval_run_id = ${evalRunId}`;
  t.deepEqual(after, { status: 'FAILED', item_count: 7, failure_reason: 'it failed' });
});
