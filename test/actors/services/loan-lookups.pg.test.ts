import test from 'ava';
import { isKept } from '../../../actors/services/credentials/loan-store.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';
import { lookedAt } from '../../support/looked-at.ts';

const lent = 1_500;

/** Keys of live runs, or keys that were ended at their provider. */
async function keys(
  admin: Sql,
  of: { readonly isLent: boolean; readonly from: number; readonly count: number },
): Promise<void> {
  const { isLent, from, count } = of;
  await transaction(admin, {}, async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
        execution_kind, validator_hotkey, slot, fence, status, claimed_at, completed_at,
        lease_expires_at, expected_items)
      select md5('run' || n)::uuid, n % 64, md5('work' || n)::uuid, md5('version' || n)::uuid, 1,
        'QUALIFYING', 'envpack', 'val-' || n, 0, 1, case when ${isLent} then 'RUNNING' else 'SUCCESS' end,
        rt.clock(), case when not ${isLent} then rt.clock() end, rt.clock() + interval '1 hour', 30
      from generate_series(${from}::integer, ${from + count - 1}::integer) n`;
    await tx`
      insert into inference_key (key_id, eval_run_id, miner_hotkey, provider, credential_id, minted_at,
        expires_at, withdrawn_at, revoked_at)
      select md5('key' || n)::uuid, md5('run' || n)::uuid, 'miner-' || n, 'providera',
        md5('credential' || n)::uuid, rt.wall_clock(), rt.wall_clock() + interval '2 hours',
        ended.at, ended.at
      from generate_series(${from}::integer, ${from + count - 1}::integer) n,
        lateral (select case when not ${isLent} then rt.wall_clock() end as at) ended`;
  });
}

/** No key was lent when the rows were counted. */
async function morning(sql: Sql): Promise<void> {
  await keys(sql, { isLent: false, from: 1, count: 20_000 });
  await sql`vacuum analyze inference_key, evaluation_run`;
  await keys(sql, { isLent: true, from: 20_001, count: lent });
}

test('whether a key is lent is looked up by that key, whatever else is lent', async (t) => {
  const { sql } = await testDatabase(t);
  await morning(sql);
  const [key] = await sql<{ id: string }[]>`select md5('key21000')::uuid as id`;

  const [isLent, looked] = await lookedAt(sql, 'inference_key', (tx) =>
    isKept(tx as never, key?.id ?? ''),
  );

  t.true(isLent);
  t.is(looked, 1);
});
