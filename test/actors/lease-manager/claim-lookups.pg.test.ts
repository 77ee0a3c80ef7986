import test from 'ava';
import { claimView } from '../../../actors/lease-manager/reads.ts';
import { tokenFacts } from '../../../actors/services/credentials/loan-store.ts';
import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';
import { lookedAt } from '../../support/looked-at.ts';

const works = 300;
/** Of the validator's own, among more of others. */
const runs = 6_000;
const claimer = { validatorHotkey: 'val-a', validatorColdkey: null, slots: 10, limit: 6 };

/** Open work in order, and a validator of long standing: half of it is new to it. */
async function longHistory(sql: Transaction) {
  await sql`set local session_replication_role = replica`;
  await sql`
    insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, suite_id, phase, state,
      required_successes, queued_at, queue_order_at)
    select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, n % 64, gen_random_uuid(),
      'miner-' || n, 1, 'QUALIFYING', 'OPEN', 40, rt.clock(), rt.clock() + n * interval '1 second'
    from generate_series(1, ${works}) n`;
  await sql`
    insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
      execution_kind, validator_hotkey, slot, fence, status, end_reason, is_included, claimed_at,
      lease_expires_at, completed_at, expected_items)
    select gen_random_uuid(), w.part, w.work_item_id, w.agent_version_id, 1, 'QUALIFYING',
      'envpack', case n % 2 when 0 then 'val-a' else 'val-' || n end, 0, n, came_to.status,
      case w.at when 2 then 'RELEASED' end, n % 2 = 0 and n <= ${works} and w.at = 4,
      rt.clock(), rt.clock() + interval '1 hour',
      case when came_to.status <> 'RUNNING' then rt.clock() end, 30
    from generate_series(1, ${2 * runs}) n
    join (select *, row_number() over (order by queue_order_at) as at from work_item) w
      on w.at = 1 + (n - 1) % ${works}
    cross join lateral (
      select case when n % 2 = 1 or n > ${works} then 'FAILED' when w.at = 2 then 'CANCELLED'
        when w.at = 4 then 'SUCCESS' when w.at = 6 then 'RUNNING' else 'FAILED' end as status
    ) came_to`;
}

/** Rows that were read of each table by all who have told. */
async function readSoFar(sql: Sql): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ table: string; rows: number }[]>`
    select relname as table, (seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as rows
    from pg_stat_user_tables`;
  return new Map(rows.map(({ table, rows: count }) => [table, count]));
}

// As in the first minutes of an installation, before anybody has counted its rows.
test('a claim looks up what it is decided by, by a plan that was made for empty tables', async (t) => {
  const { sql: admin, url } = await testDatabase();
  const sql = createSql({ url, applicationName: 'claims', max: 1, isByIndex: true });
  t.teardown(() => closeSql(sql));
  const told = async () => {
    await sql`select pg_stat_force_next_flush()`;
    await sql`select 1`;
    return await readSoFar(admin);
  };
  for (let time = 0; time < 8; time++) await claimView(sql, claimer);
  await transaction(admin, {}, async (tx) => {
    await longHistory(tx);
    await tx`select pg_stat_force_next_flush()`;
  });
  await admin`select 1`;

  const before = await told();
  const { live, candidates } = await claimView(sql, claimer);
  const after = await told();

  t.deepEqual(
    live.map(({ slot }) => slot),
    [0],
  );
  const first = candidates.map(({ workItemId }) => Number(workItemId.slice(-12)));
  t.deepEqual(first, [1, 3, 5, 7, 9, 11]);
  for (const table of ['evaluation_run', 'work_item']) {
    const read = (after.get(table) ?? 0) - (before.get(table) ?? 0);
    t.true(read > 0 && read < 40, `${read} rows of ${table}`);
  }
  // Planning takes longer than looking up.
  const [plans] = await sql`
    select custom_plans::integer as custom, generic_plans > 0 as "isGeneric"
    from pg_prepared_statements where statement like '%with live as%'`;
  t.deepEqual(plans, { custom: 0, isGeneric: true });
});

// Where the planner knows how much there is, and that what is open lies all over the table.
test('a claim reads a few rows of a large queue, also by a plan that was made for it', async (t) => {
  const { sql: admin, url } = await testDatabase();
  await transaction(admin, {}, async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, suite_id, phase, state,
        required_successes, queued_at, queue_order_at, closed_at)
      select gen_random_uuid(), n % 64, gen_random_uuid(), 'miner-' || n, 1, 'QUALIFYING',
        case n % 10 when 0 then 'OPEN' else 'CLOSED' end, 3, rt.clock(),
        rt.clock() + random() * interval '30 days', case when n % 10 > 0 then rt.clock() end
      from generate_series(1, 30_000) n`;
    await longHistory(tx);
  });
  await admin`vacuum analyze work_item, evaluation_run`;
  const sql = createSql({ url, applicationName: 'claims', max: 1, isByIndex: true });
  t.teardown(() => closeSql(sql));
  const told = async () => {
    await sql`select pg_stat_force_next_flush()`;
    await sql`select 1`;
    return await readSoFar(admin);
  };
  const before = await told();
  const { candidates } = await claimView(sql, claimer);
  const after = await told();

  t.is(candidates.length, claimer.limit);
  for (const table of ['evaluation_run', 'work_item']) {
    const read = (after.get(table) ?? 0) - (before.get(table) ?? 0);
    t.true(read < 40, `${read} rows of ${table}`);
  }
});

const validators = 200;

/** Runs of many validators, each of its own slot, for work that is all theirs, and some work that is not. */
async function manyRuns(admin: Sql, status: 'RUNNING' | 'SUCCESS', count: number): Promise<void> {
  const state = status === 'RUNNING' ? 'OPEN' : 'CLOSED';
  await transaction(admin, {}, async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, suite_id, phase, state,
        required_successes, queued_at, queue_order_at, closed_at)
      select gen_random_uuid(), n % 64, gen_random_uuid(), 'miner-' || n, 1, 'QUALIFYING', ${state},
        40, rt.clock(), rt.clock(), case when ${state === 'CLOSED'} then rt.clock() end
      from generate_series(1, ${count / 40}) n`;
    await tx`
      insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
        execution_kind, validator_hotkey, slot, fence, status, is_included, claimed_at, completed_at,
        lease_expires_at, expected_items)
      select gen_random_uuid(), w.part, w.work_item_id, w.agent_version_id, 1, 'QUALIFYING', 'envpack',
        case v when 0 then 'val-a' else 'val-' || v end, (n / ${validators})::smallint, n, ${status},
        ${status === 'SUCCESS'}, rt.clock(),
        case when ${status === 'SUCCESS'} then rt.clock() end, rt.clock() + interval '1 hour', 30
      from generate_series(0, ${count - 1}) n
      cross join lateral (select (n * 7) % ${validators} as v) of_validator
      join (
        select *, row_number() over () as at from work_item where state = ${state}
      ) w on w.at = 1 + n / 40`;
  });
}

// A morning: at night, when all was over, the rows were counted, and nobody counts again for a while.
test('a claim reads a few runs while thousands are live of which the planner knows nothing', async (t) => {
  const { sql: admin, url } = await testDatabase();
  await manyRuns(admin, 'SUCCESS', 40_000);
  await admin`vacuum analyze work_item, evaluation_run`;
  const sql = createSql({ url, applicationName: 'claims', max: 1, isByIndex: true });
  t.teardown(() => closeSql(sql));
  const told = async () => {
    await sql`select pg_stat_force_next_flush()`;
    await sql`select 1`;
    return await readSoFar(admin);
  };
  await manyRuns(admin, 'RUNNING', 4_000);
  const before = await told();
  const { live, candidates } = await claimView(sql, { ...claimer, slots: 100 });
  const after = await told();

  t.is(live.length, 4_000 / validators);
  t.is(candidates.length, claimer.limit);
  const read = (after.get('evaluation_run') ?? 0) - (before.get('evaluation_run') ?? 0);
  t.true(read > 0 && read < 200, `${read} runs`);
});

// The same morning: a token to ask models with is lent to a run.
test('what asks for one run reads no other, also of thousands of which the planner knows nothing', async (t) => {
  const { sql } = await testDatabase(t);
  await manyRuns(sql, 'SUCCESS', 40_000);
  await sql`vacuum analyze work_item, evaluation_run`;
  await manyRuns(sql, 'RUNNING', 4_000);
  const [run] = await sql<{ id: string }[]>`
    select eval_run_id as id from evaluation_run where status = 'RUNNING' limit 1`;

  const [, looked] = await lookedAt(sql, 'evaluation_run', (tx) =>
    tokenFacts(tx, run?.id ?? '', 3_600),
  );

  t.is(looked, 1);
});

/** One piece of open work, and nothing else, that one validator had so often in vain. */
async function triedInVain(sql: Sql, status: string, count: number): Promise<void> {
  await transaction(sql, {}, async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, suite_id, phase, state,
        required_successes, queued_at, queue_order_at)
      values (gen_random_uuid(), 0, gen_random_uuid(), 'miner', 1, 'QUALIFYING', 'OPEN', 2, rt.clock(),
        rt.clock())`;
    await tx`
      insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
        execution_kind, validator_hotkey, slot, fence, status, claimed_at, lease_expires_at,
        completed_at, expected_items)
      select gen_random_uuid(), w.part, w.work_item_id, w.agent_version_id, 1, 'QUALIFYING', 'envpack',
        'val-a', 0, n, ${status}, ended.at, ended.at, ended.at, 30
      from work_item w, generate_series(1, ${count}) n,
        lateral (select rt.clock() - n * interval '1 hour' as at) ended`;
  });
}

for (const [status, offered] of [
  ['FAILED', 0],
  ['STALE', 1],
] as const) {
  // Who has nothing else to do asks so every few seconds.
  test(`a claim that finds only what it tried 5,000 times reads few of those runs: ${status}`, async (t) => {
    const { sql: admin, url } = await testDatabase(t);
    const sql = createSql({ url, applicationName: 'claims', max: 1, isByIndex: true });
    t.teardown(() => closeSql(sql));
    const told = async () => {
      await sql`select pg_stat_force_next_flush()`;
      await sql`select 1`;
      return await readSoFar(admin);
    };
    await triedInVain(admin, status, 5_000);
    const before = await told();

    const { candidates } = await claimView(sql, claimer);

    const after = await told();
    t.is(candidates.length, offered);
    const read = (after.get('evaluation_run') ?? 0) - (before.get('evaluation_run') ?? 0);
    t.true(read < 40, `${read} runs`);
  });
}
