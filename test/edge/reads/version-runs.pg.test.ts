import { randomUUID } from 'node:crypto';
import test from 'ava';
import { runsOfVersion } from '../../../apps/edge/reads/runs.ts';
import { timelineOf } from '../../../apps/edge/reads/timeline.ts';
import { outcomesOfVersion } from '../../../apps/edge/reads/version-outcomes.ts';
import { publicAgentFailures } from '../../../apps/edge/wire/version-faults.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';
import { lookedAt } from '../../support/looked-at.ts';
import { plantRace, plantSuite, plantVersion } from '../../support/planted-races.ts';

interface Planted {
  readonly versionId: string;
  readonly raceId?: string | null;
  readonly status: string;
  readonly fault?: string | null;
  readonly isIncluded?: boolean;
  readonly isJudging?: boolean;
  readonly hoursAgo: number;
  readonly count?: number;
}

/** Runs of one piece of work, one an hour up to then. */
async function plantRuns(sql: Sql, planted: Planted): Promise<void> {
  const { versionId, raceId = null, status, fault = null, hoursAgo, count = 1 } = planted;
  const phase = raceId === null ? 'QUALIFYING' : 'RACE';
  const rejudgingId = planted.isJudging === true ? randomUUID() : null;
  const workItemId = randomUUID();
  await transaction(sql, {}, async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, suite_id, phase,
        race_id, state, required_successes, queued_at, queue_order_at, rejudging_id)
      values (${workItemId}, 0, ${versionId}, 'm', 1, ${phase}, ${raceId}, 'OPEN', 2, rt.clock(),
        rt.clock(), ${rejudgingId})
      on conflict do nothing`;
    await tx`
      insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
        race_id, execution_kind, validator_hotkey, slot, fence, status, is_included, failure_class,
        claimed_at, lease_expires_at, completed_at, expected_items, rejudging_id)
      select gen_random_uuid(), w.part, w.work_item_id, w.agent_version_id, 1, w.phase, w.race_id,
        'envpack', ${planted.hoursAgo} || ' ' || n, 0, ${hoursAgo} * 10_000 + n, ${status},
        ${planted.isIncluded ?? false}, ${fault}, ended.at, ended.at,
        case when ${status}::text not in ('CLAIMED', 'RUNNING') then ended.at end, 30, w.rejudging_id
      from work_item w, generate_series(0, ${count - 1}) n,
        lateral (select rt.clock() - (${hoursAgo} + n) * interval '1 hour' as at) ended
      where w.agent_version_id = ${versionId} and w.race_id is not distinct from ${raceId}::uuid
        and w.rejudging_id is not distinct from ${rejudgingId}::uuid`;
  });
}

async function plant(sql: Sql) {
  const suiteId = await plantSuite(sql);
  const versionId = await plantVersion(sql, { suiteId, hotkey: 'm' });
  await sql`update agent_version set part = 0 where agent_version_id = ${versionId}`;
  const race = (raceNumber: number, status: string, releasedInSeconds: number | null) =>
    plantRace(sql, { suiteId, raceNumber, status, releasedInSeconds });
  return {
    versionId,
    released: await race(1, 'RACE_COMPLETE', -1),
    embargoed: await race(2, 'RACE_COMPLETE', 3600),
    running: await race(3, 'RACE_RUNNING', null),
  };
}

for (const isAnalyzed of [false, true]) {
  const known = isAnalyzed ? 'whose rows were counted' : 'of a fresh database';

  // Anybody may ask, a hundred times a minute.
  test(`of 5,000 runs in vain the newest 500 are shown, and what goes on or counts: ${known}`, async (t) => {
    const { sql } = await testDatabase(t);
    const { versionId, released, embargoed, running } = await plant(sql);
    const older = { versionId, hoursAgo: 6_000 };
    const success = { ...older, status: 'SUCCESS', isIncluded: true };
    await plantRuns(sql, {
      ...older,
      status: 'FAILED',
      fault: 'PROVIDER',
      hoursAgo: 1,
      count: 5_000,
    });
    await plantRuns(sql, { ...success });
    await plantRuns(sql, { ...success, raceId: released, hoursAgo: 6_001 });
    await plantRuns(sql, { ...success, raceId: embargoed, hoursAgo: 6_002 });
    await plantRuns(sql, { ...success, raceId: running, hoursAgo: 6_003 });
    await plantRuns(sql, { ...older, status: 'RUNNING', hoursAgo: 6_004 });
    await plantRuns(sql, { ...older, status: 'RUNNING', isJudging: true, hoursAgo: 6_005 });
    await plantRuns(sql, { ...older, status: 'SUCCESS', hoursAgo: 6_006 });
    if (isAnalyzed) await sql`vacuum analyze evaluation_run, work_item, race`;

    const [runs, ofRuns] = await lookedAt(sql, 'evaluation_run', (tx) =>
      runsOfVersion(tx, versionId),
    );
    const [outcomes, ofOutcomes] = await lookedAt(sql, 'evaluation_run', (tx) =>
      outcomesOfVersion(tx, versionId),
    );

    t.deepEqual(
      runs.slice(0, -500).map(({ status, raceId }) => [status, raceId]),
      [
        ['RUNNING', null],
        ['RUNNING', null],
        ['SUCCESS', released],
        ['SUCCESS', null],
      ],
    );
    t.true(runs.slice(-500).every(({ status }) => status === 'FAILED'));
    t.true(ofRuns < 1_100, `${ofRuns} runs were looked at`);
    t.is(outcomes.length, 5);
    t.true(ofOutcomes < 30, `${ofOutcomes} runs were looked at`);
  });
}

test('faults in a row are counted of the newest outcomes, and none of what judges again', async (t) => {
  const { sql } = await testDatabase(t);
  const { versionId, released, running } = await plant(sql);
  const failed = { versionId, status: 'FAILED', fault: 'AGENT' };
  const counted = async () =>
    publicAgentFailures({ consecutiveAgentFailures: 7 }, await outcomesOfVersion(sql, versionId));
  await plantRuns(sql, { ...failed, hoursAgo: 20 });
  await plantRuns(sql, { ...failed, raceId: released, hoursAgo: 4 });
  await plantRuns(sql, { ...failed, raceId: running, isJudging: true, hoursAgo: 3 });
  t.is(await counted(), 7, 'as its owner does, while nothing of it is under seal');

  await plantRuns(sql, { versionId, raceId: running, status: 'STALE', hoursAgo: 1 });
  t.is(await counted(), 2);
  await plantRuns(sql, { ...failed, raceId: running, hoursAgo: 2 });
  t.is(await counted(), 2, 'what came of it is under seal');
  await plantRuns(sql, { versionId, status: 'SUCCESS', isIncluded: true, hoursAgo: 5 });
  t.is(await counted(), 1);
});

test('a timeline asks of the races of its own entries alone', async (t) => {
  const { sql } = await testDatabase(t);
  const { versionId, running } = await plant(sql);
  await plantRuns(sql, { versionId, status: 'FAILED', hoursAgo: 2, count: 5_000 });
  await plantRuns(sql, { versionId, raceId: running, status: 'FAILED', hoursAgo: 1 });
  await sql`
    insert into rt.event (kind, part, machine, key, seq, actor_key, type, type_version, payload,
      command_id, account, epoch, at)
    select 'eval', 0, e.machine, e.key::text, 1, ${versionId}, e.type, 1, '{}'::jsonb, 'c', 'system', 1,
      e.at
    from (
      select 'agent-version' as machine, ${versionId}::uuid as key, 'SUBMITTED' as type, rt.clock() as at
      union all
      select 'work-item', work_item_id, 'OPENED', rt.clock() - interval '30 minutes' from work_item
      union all
      select 'evaluation-run', eval_run_id, 'FAILED', completed_at from evaluation_run
    ) e`;

  const [timeline, runs] = await lookedAt(sql, 'evaluation_run', (tx) => timelineOf(tx, versionId));

  const told = timeline.map(({ machine, phase, raceStatus }) =>
    [machine, phase, raceStatus].join(),
  );
  t.is(told.length, 500);
  t.is(told.at(-1), 'agent-version,QUALIFYING,');
  t.deepEqual(told.slice(-3, -1).sort(), ['work-item,QUALIFYING,', 'work-item,RACE,RACE_RUNNING']);
  t.deepEqual(told.slice(-5, -3), [
    'evaluation-run,QUALIFYING,',
    'evaluation-run,RACE,RACE_RUNNING',
  ]);
  t.true(runs < 600, `${runs} runs were looked at`);
});
