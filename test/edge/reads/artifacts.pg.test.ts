import test from 'ava';
import { ledgerOfEpisode } from '../../../apps/edge/reads/artifacts.ts';
import { idsWithin, randomId } from '../../../infra/ids/ids.ts';
import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';
import { trialId } from '../../support/trial-races.ts';

const runs = 3_000;
const raceId = trialId('cancelled race');
const qualifyingRunId = trialId('qualifying run');

/** A cancelled race is sealed for ever: its runs are none of the few of a race under way. */
async function plant(tx: Transaction): Promise<void> {
  await tx`set local session_replication_role = replica`;
  await tx`
    insert into race (race_id, part, suite_id, race_number, status, policy_version, policy, opened_at,
                      qualifying_closes_at, cancelled_at, qualifier_count)
    values (${raceId}, 0, 1, 1, 'RACE_CANCELLED', 0, '{}', rt.clock(), rt.clock(), rt.clock(), 0)`;
  await tx`
    insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
                                race_id, execution_kind, validator_hotkey, slot, fence, status,
                                claimed_at, lease_expires_at, completed_at, expected_items)
    select case n when 0 then ${qualifyingRunId}::uuid else gen_random_uuid() end, 0,
           gen_random_uuid(), gen_random_uuid(), 1, case n when 0 then 'QUALIFYING' else 'RACE' end,
           case when n > 0 then ${raceId}::uuid end, 'envpack', 'v', 0, 1, 'CANCELLED',
           rt.clock(), rt.clock(), rt.clock(), 1
    from generate_series(0, ${runs}) n`;
}

/** What is answered about an id that no result has, and how many runs the database looked at for it. */
async function asked(sql: Sql, episodeId: string, planned: string) {
  return await transaction(sql, {}, async (tx) => {
    await tx`select set_config('plan_cache_mode', ${planned}, true)`;
    const before = await lookedAt(tx);
    // Sound because it asks by the template alone.
    const ledger = await ledgerOfEpisode(tx as unknown as Sql, episodeId);
    return { status: ledger?.raceStatus, looked: (await lookedAt(tx)) - before };
  });
}

async function lookedAt(tx: Transaction): Promise<number> {
  const [row] = await tx<{ rows: number }[]>`
    select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows
    from pg_stat_xact_user_tables where relname = 'evaluation_run'`;
  return row?.rows ?? 0;
}

test('the run that would have a result is found without a look at the other sealed ones', async (t) => {
  const { sql } = await testDatabase(t);
  await sql`analyze evaluation_run, race`;
  await transaction(sql, {}, plant);
  const [run] = await sql<{ id: string }[]>`
    select eval_run_id as id from evaluation_run where race_id is not null offset 1500 limit 1`;
  const derived = idsWithin(run?.id ?? '')('find-product-07');
  const ofNoRun = idsWithin(randomId())('find-product-07');
  const ofQualifying = idsWithin(qualifyingRunId)('find-product-07');

  for (const counted of ['when there were none', 'since']) {
    for (const planned of ['force_custom_plan', 'force_generic_plan']) {
      const about = `planned by ${planned}, last counted ${counted}`;
      const sealed = await asked(sql, derived, planned);
      t.deepEqual(sealed, { status: 'RACE_CANCELLED', looked: 1 }, about);
      for (const id of [ofNoRun, ofQualifying, randomId()]) {
        t.deepEqual(await asked(sql, id, planned), { status: undefined, looked: 0 }, about);
      }
    }
    await sql`analyze evaluation_run, race`;
  }
});
