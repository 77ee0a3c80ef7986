import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';

/** Where the planner would rather read a table than look a thousand rows up in it. */
const stored = 20_000;

/** One of each, and as many beside it as a busy month leaves behind; runs that are over, or in work. */
async function busyMonth(sql: Transaction, others: 'FAILED' | 'RUNNING') {
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
      completed_at, expected_items)
    select case n when 0 then ${evalRunId}::uuid else gen_random_uuid() end, 0,
      ${workItemId}::uuid, ${agentVersionId}::uuid, 1, 'QUALIFYING', 'ENV_PACK', 'validator-' || n, 1,
      n + 1, case n when 0 then 'RUNNING' else ${others} end, rt.clock(), rt.clock(),
      case when n > 0 and ${others} not in ('CLAIMED', 'RUNNING') then rt.clock() end, 30
    from generate_series(0, ${stored}) n`;
  return { agentVersionId, workItemId, evalRunId };
}

interface Stored extends Awaited<ReturnType<typeof busyMonth>> {}

async function operationsOn(sql: Sql, { agentVersionId, workItemId, evalRunId }: Stored) {
  const [version] =
    await sql`select * from agent_version where agent_version_id = ${agentVersionId}`;
  const [work] = await sql`select * from work_item where work_item_id = ${workItemId}`;
  const [run] = await sql`select * from evaluation_run where eval_run_id = ${evalRunId}`;
  return {
    agent_version: [version],
    work_item: [{ ...work, live_count: 1 }],
    run_completion: [{ ...run, failure_reason: 'it failed' }],
    evaluation_run: [
      { ...run, status: 'FAILED', completed_at: run?.['claimed_at'], item_count: 7 },
    ],
    adopt_run: [run],
  };
}

/** Rows that were read of each table to apply them, however they were found. */
async function readOf(sql: Sql, operations: object): Promise<Record<string, number>> {
  const rows = await transaction(sql, {}, async (tx) => {
    await tx`select eval_apply(0, 1, ${JSON.stringify(operations)}::text::jsonb, rt.clock())`;
    return await tx<{ table: string; rows: number }[]>`
      select relname as table, (seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as rows
      from pg_stat_xact_user_tables where seq_tup_read + coalesce(idx_tup_fetch, 0) > 0`;
  });
  return Object.fromEntries(rows.map(({ table, rows: count }) => [table, count]));
}

const outcome = { status: 'FAILED', item_count: 7, failure_reason: 'it failed' };

test('a commit looks up what it changes, however much is stored beside it', async (t) => {
  const { sql } = await testDatabase();
  const all = await transaction(sql, {}, (tx) => busyMonth(tx, 'FAILED'));
  await sql`analyze agent_version, work_item, evaluation_run`;
  const read = await readOf(sql, await operationsOn(sql, all));
  t.true(Math.max(...Object.values(read)) < 20, JSON.stringify(read));
  t.true((read['evaluation_run'] ?? 0) > 0);
  const [after] = await sql`
    select status, item_count, failure_reason from evaluation_run
    where eval_run_id = ${all.evalRunId}`;
  t.deepEqual(after, outcome);
});

// As in the first minutes of an installation, before anybody has counted its rows.
test('a plan that was made for empty tables still looks up', async (t) => {
  const { sql: admin, url } = await testDatabase();
  const sql = createSql({ url, applicationName: 'plans', max: 1 });
  t.teardown(() => closeSql(sql));
  const nobody = randomUUID();
  const nothing = {
    agent_version: [{ agent_version_id: nobody }],
    run_completion: [{ eval_run_id: nobody }],
    evaluation_run: [{ eval_run_id: nobody }],
    adopt_run: [{ eval_run_id: nobody }],
  };
  for (let time = 0; time < 8; time++) await readOf(sql, nothing);
  const all = await transaction(admin, {}, (tx) => busyMonth(tx, 'RUNNING'));

  const read = await readOf(sql, await operationsOn(admin, all));
  t.true(Math.max(...Object.values(read)) < 20, JSON.stringify(read));
  const [after] = await admin`
    select status, item_count, failure_reason from evaluation_run
    where eval_run_id = ${all.evalRunId}`;
  t.deepEqual(after, outcome);
});
