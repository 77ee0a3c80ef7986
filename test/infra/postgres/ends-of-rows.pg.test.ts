import test from 'ava';
import type { Sql } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';

// Who asks for all that is live or open asks for what has no end, and must get just that.
const rows: readonly [string, boolean, (sql: Sql, isEnded: boolean) => Promise<unknown>][] = [
  ...['CLAIMED', 'RUNNING', 'SUCCESS', 'FAILED', 'TIMED_OUT', 'STALE', 'CANCELLED'].map(
    (status): (typeof rows)[number] => [
      `a run that is ${status}`,
      !['CLAIMED', 'RUNNING'].includes(status),
      (sql, isEnded) => sql`
        insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
          execution_kind, validator_hotkey, slot, fence, status, claimed_at, completed_at,
          lease_expires_at, expected_items)
        values (gen_random_uuid(), 0, gen_random_uuid(), gen_random_uuid(), 1, 'QUALIFYING', 'envpack',
          ${`val-${status}`}, 0, 1, ${status}, rt.clock(), case when ${isEnded} then rt.clock() end, rt.clock(), 30)`,
    ],
  ),
  ...['OPEN', 'CLOSED', 'CANCELLED', 'JUDGED', 'APPLIED'].map((state): (typeof rows)[number] => [
    `work that is ${state}`,
    state !== 'OPEN',
    (sql, isEnded) => sql`
      insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, suite_id, phase, state,
        required_successes, queued_at, queue_order_at, closed_at)
      values (gen_random_uuid(), 0, gen_random_uuid(), 'miner', 1, 'QUALIFYING', ${state}, 2, rt.clock(),
        rt.clock(), case when ${isEnded} then rt.clock() end)`,
  ]),
];

test('a row that is over has an end, and no other', async (t) => {
  const { sql } = await testDatabase(t);
  const write = (of: (typeof rows)[number], isEnded: boolean) =>
    transaction(sql, {}, async (tx) => {
      await tx`set local session_replication_role = replica`;
      await of[2](tx as unknown as Sql, isEnded);
    });
  for (const row of rows) {
    const [what, isOver] = row;
    await t.notThrowsAsync(write(row, isOver), what);
    const refused = await t.throwsAsync(write(row, !isOver), undefined, what);
    t.regex(String(refused?.message), /(live_until_completed|open_until_closed)/, what);
  }
  const constraints = await sql`
    select from pg_constraint where convalidated
      and conname in ('evaluation_run_live_until_completed', 'work_item_open_until_closed')`;
  t.is(constraints.length, 2);
});
