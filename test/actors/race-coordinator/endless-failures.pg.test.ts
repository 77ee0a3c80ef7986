import test from 'ava';
import type { Sql } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { asTheProduct, hourMs, openRaceDesk } from '../../support/race-desk.ts';
import {
  ban,
  raceAt,
  runToStart,
  seedSuite,
  seedVersion,
  seedWork,
} from '../../support/race-seeds.ts';

/** Of each entrant, by twenty validators, whose providers were away until the race's limit. */
const failedOfEach = 6_000;

async function seedFailures(sql: Sql, raceId: string): Promise<void> {
  for (let have = 0; have < failedOfEach; have += 500) {
    await sql`
      insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
        race_id, execution_kind, validator_hotkey, slot, fence, status, is_included, failure_class,
        claimed_at, lease_expires_at, completed_at, expected_items)
      select gen_random_uuid(), w.part, w.work_item_id, w.agent_version_id, 1, 'RACE', w.race_id,
        'envpack', 'v' || n % 20, 0, 10 + n, 'FAILED', false, 'PROVIDER', r.started_at, now(),
        r.started_at, 0
      from work_item w
      join race r using (race_id), generate_series(${have + 1}::int, ${have + 500}::int) n
      where race_id = ${raceId}`;
  }
}

test('a race ends in time whatever number of its runs failed for no fault of an agent', async (t) => {
  t.timeout(300_000);
  const desk = await openRaceDesk(t, asTheProduct);
  const { sql } = desk;
  await seedSuite(sql);
  const versionIds: string[] = [];
  for (let n = 0; n < 60; n += 1) versionIds.push(await seedVersion(sql, { hotkey: `m${n}` }));
  const raceId = await runToStart(desk);
  for (const [n, id] of versionIds.entries()) {
    await seedWork(sql, raceId, id, n < 30 ? { micro: [500_000 + n, 500_000] } : 'open');
  }
  await seedFailures(sql, raceId);
  await ban(sql, 'v7');

  desk.nowMs += 21 * hourMs;
  const startedMs = performance.now();
  await desk.tick();

  t.log(`${failedOfEach * 60} failures: ${(performance.now() - startedMs).toFixed(0)} ms`);
  t.like(await raceAt(sql, 1), { status: 'RACE_COMPLETE', scoredCount: 30 });
  const [stored] = await sql`
    select cardinality(r.uncounted_faults) as count, (
        select array_agg(distinct u.validator_hotkey) from evaluation_run u
        where u.eval_run_id = any((select r.uncounted_faults)::uuid[])) as hotkeys
    from race r where r.race_id = ${raceId}`;
  t.deepEqual({ ...stored }, { count: (failedOfEach * 60) / 20, hotkeys: ['v7'] });
});

test('a race whose results cannot be read is cancelled, also beside its end', async (t) => {
  const desk = await openRaceDesk(t, asTheProduct);
  const { sql } = desk;
  await seedSuite(sql);
  const versionId = await seedVersion(sql, { hotkey: 'm' });
  const raceId = await runToStart(desk);
  await seedWork(sql, raceId, versionId, { micro: [500_000, 500_000] });
  desk.nowMs += 21 * hourMs;
  const nudge = { raceId, agentVersionId: versionId };

  await transaction(sql, {}, async (tx) => {
    await tx`lock table evaluation_run in access exclusive mode`;
    await t.throwsAsync(async () => await desk.tick());
    await desk.sendTogether([
      ['complete-due', { raceId }],
      ['work-changed', nudge],
      ['cancel-race', { raceId, reason: 'stuck' }],
    ]);
  });

  t.like(await raceAt(sql, 1), { status: 'RACE_CANCELLED' });
  const [race] = await sql`select cancel_reason from race where race_id = ${raceId}`;
  t.like(race, { cancel_reason: 'stuck' });
});
