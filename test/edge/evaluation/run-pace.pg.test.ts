import test from 'ava';
import { RunPace } from '../../../apps/edge/evaluation/run-pace.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { testDatabase } from '../../support/cluster.ts';
import { ManualClock } from '../../support/manual-clock.ts';

async function plantSuccess(sql: Sql, seconds: number): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
        execution_kind, validator_hotkey, slot, fence, status, claimed_at, lease_expires_at,
        completed_at, expected_items)
      select gen_random_uuid(), 0, gen_random_uuid(), gen_random_uuid(), 1, 'QUALIFYING', 'envpack',
        'v', 0, 1, 'SUCCESS', ended.at - ${seconds} * interval '1 second', ended.at, ended.at, 30
      from (select rt.clock() - interval '1 hour' as at) ended`;
  });
}

test('the mean of a day is read every few seconds, its first run and who is here at once', async (t) => {
  const { sql } = await testDatabase(t);
  const clock = new ManualClock();
  const pace = new RunPace(sql, clock);
  t.like(await pace.throughput(), { activeValidators: 0, meanRunSeconds: null });

  await plantSuccess(sql, 60);
  await sql`insert into validator (hotkey, last_seen_at) values ('v', rt.clock())`;
  t.like(await pace.throughput(), { activeValidators: 1, meanRunSeconds: 60 });

  await plantSuccess(sql, 120);
  t.like(await pace.throughput(), { meanRunSeconds: 60 });
  await clock.advance(5_000);
  t.like(await pace.throughput(), { meanRunSeconds: 90 });
});
