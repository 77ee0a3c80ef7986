import test from 'ava';
import type { LiveRules } from '../../../apps/verify/live/checks/check.ts';
import { everyCheck } from '../../../apps/verify/live/checks/every-check.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';
import { lookedAt } from '../../support/looked-at.ts';

const rules: LiveRules = { noProgressMs: 3_600_000, runLimitMs: 7_200_000 };

/** `ended` runs of last year, and `live` of now, each of a validator of its own. */
async function addRuns(sql: Sql, { ended, live }: { ended: number; live: number }): Promise<void> {
  await transaction(sql, {}, async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
        execution_kind, validator_hotkey, slot, fence, status, claimed_at, completed_at,
        lease_expires_at, expected_items)
      select gen_random_uuid(), n % 64, gen_random_uuid(), gen_random_uuid(), 1, 'QUALIFYING',
        'envpack', 'val-' || n, 0, 1, case when n > ${ended}::int then 'RUNNING' else 'FAILED' end,
        at.claimed, case when n <= ${ended}::int then at.claimed end,
        at.claimed + interval '5 minutes', 30
      from generate_series(1, ${ended + live}::int) n
      cross join lateral (
        select case when n > ${ended}::int then rt.clock()
          else rt.clock() - interval '1 year' end as claimed) at`;
  });
}

for (const rule of [
  'no live run is a minute past its lease',
  'no live run has had twice the time that it may take, or may be without progress',
  'no validator has two live runs in one of its slots',
]) {
  test(`runs that are over are not read to see whether ${rule}`, async (t) => {
    const { sql } = await testDatabase(t);
    await addRuns(sql, { ended: 500, live: 3 });
    const check = everyCheck.find((each) => each.rule === rule);

    const [found, rows] = await lookedAt(sql, 'evaluation_run', async (tx) =>
      check?.find(tx, rules),
    );

    t.deepEqual([...(found ?? [{}])], []);
    t.true(rows >= 3 && rows < 20, `${rows} rows`);
  });
}

// The others ask for runs without an end alone.
test('a live run that has an end is seen', async (t) => {
  const { sql } = await testDatabase(t);
  await addRuns(sql, { ended: 2, live: 1 });
  const check = everyCheck.find(({ rule }) =>
    rule.startsWith('a run has an end exactly when it is'),
  );

  t.deepEqual([...((await check?.find(sql)) ?? [{}])], []);
  await sql`alter table evaluation_run drop constraint evaluation_run_live_until_completed`;
  await sql`update evaluation_run set completed_at = claimed_at where status = 'RUNNING'`;
  t.is((await check?.find(sql))?.length, 1);
});
