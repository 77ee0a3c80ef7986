import test from 'ava';
import { pendingEvaluations } from '../../../apps/edge/reads/evaluations.ts';
import { presenceNow, waitingOf } from '../../../apps/edge/reads/waiting.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';

interface Run {
  readonly by: string;
  readonly status: string;
  readonly isIncluded?: boolean;
  readonly failureClass?: string;
  /** Since it ended. */
  readonly secondsAgo?: number;
}

interface Scene {
  readonly phase?: 'QUALIFYING' | 'RACE';
  readonly runs?: readonly Run[];
  /** Hotkeys of validators that are here, with their coldkeys. */
  readonly here?: Readonly<Record<string, string | null>>;
  readonly banned?: string;
}

const agentVersionId = '00000002-0000-4000-8000-000000000000';
const workItemId = '00000001-0000-4000-8000-000000000000';

/** Work of 'miner' with coldkey 'cold' that needs two successes. */
async function plant(sql: Sql, scene: Scene): Promise<void> {
  const {
    phase = 'QUALIFYING',
    runs = [],
    here = { 'val-a': null, 'val-b': null },
    banned,
  } = scene;
  const included = runs.filter(({ isIncluded }) => isIncluded === true).length;
  const live = runs.filter(({ status }) => status === 'RUNNING').length;
  await transaction(sql, {}, async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into agent_version (agent_version_id, part, agent_id, agent_name, miner_hotkey,
        version_number, suite_id, state, submitted_at, code_sha256, code_size_bytes,
        required_successes)
      values (${agentVersionId}, 0, gen_random_uuid(), 'agent', 'miner', 1, 1, 'RUNNING', rt.clock(),
        'c0de', 1, 2)`;
    await tx`
      insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, miner_coldkey,
        suite_id, phase, state, required_successes, included_success_count, live_count, queued_at,
        queue_order_at)
      values (${workItemId}, 0, ${agentVersionId}, 'miner', 'cold', 1, ${phase}, 'OPEN', 2, ${included},
        ${live}, rt.clock(), rt.clock())`;
    for (const [index, run] of runs.entries()) {
      const { by, status, isIncluded = false, failureClass = null, secondsAgo = 0 } = run;
      await tx`
        insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id,
          phase, execution_kind, validator_hotkey, slot, fence, status, is_included, failure_class,
          claimed_at, lease_expires_at, completed_at, expected_items)
        values (gen_random_uuid(), 0, ${workItemId}, ${agentVersionId}, 1, ${phase}, 'envpack', ${by},
          0, ${index + 1}, ${status}, ${isIncluded}, ${failureClass}, rt.clock(), rt.clock(),
          case when ${status !== 'RUNNING'} then rt.clock() - ${secondsAgo} * interval '1 second' end,
          30)`;
    }
    for (const [hotkey, coldkey] of Object.entries(here)) {
      await tx`
        insert into validator (hotkey, coldkey, last_seen_at)
        values (${hotkey}, ${coldkey}, rt.clock())`;
    }
    if (banned !== undefined) {
      await tx`
        insert into hotkey_ban (hotkey, reason, banned_at) values (${banned}, 'x', rt.clock())`;
    }
    await tx`
      insert into validator (hotkey, last_seen_at)
      values ('gone', rt.clock() - interval '6 minutes')`;
  });
}

const success = (by: string): Run => ({ by, status: 'SUCCESS', isIncluded: true });
const scenes: readonly [string, Scene, { able: number; isUntried: boolean }][] = [
  ['fresh work: as many as it needs', {}, { able: 2, isUntried: true }],
  [
    'no more than it needs',
    { here: { 'val-a': null, 'val-b': null, 'val-c': null } },
    { able: 2, isUntried: true },
  ],
  ['work that one has a success of', { runs: [success('val-a')] }, { able: 1, isUntried: true }],
  [
    'work that the only one has a success of',
    { runs: [success('val-a')], here: { 'val-a': null } },
    { able: 0, isUntried: false },
  ],
  [
    'work that the only one has a run of',
    { runs: [{ by: 'val-a', status: 'RUNNING' }], here: { 'val-a': null } },
    { able: 0, isUntried: false },
  ],
  ['work of its own hotkey', { here: { miner: null } }, { able: 0, isUntried: false }],
  ['work of its own coldkey', { here: { 'val-a': 'cold' } }, { able: 0, isUntried: false }],
  [
    'work for another, who is banned',
    { runs: [success('val-a')], banned: 'val-b' },
    { able: 0, isUntried: false },
  ],
  [
    'work that one had in vain',
    { runs: [{ by: 'val-a', status: 'FAILED' }] },
    { able: 2, isUntried: true },
  ],
  [
    'work that all had in vain',
    {
      runs: [
        { by: 'val-a', status: 'FAILED' },
        { by: 'val-b', status: 'STALE' },
      ],
    },
    { able: 2, isUntried: false },
  ],
  // How runs of a race end is sealed.
  [
    'work of a race that all had in vain',
    {
      phase: 'RACE',
      runs: [
        { by: 'val-a', status: 'FAILED' },
        { by: 'val-b', status: 'FAILED' },
      ],
    },
    { able: 2, isUntried: true },
  ],
];

for (const [what, scene, { able, isUntried }] of scenes) {
  test(`of the validators that are here it is known who may take ${what}`, async (t) => {
    const { sql } = await testDatabase(t);
    await plant(sql, scene);
    const offers = { ableValidators: able, isUntried };

    t.like(await waitingOf(sql, agentVersionId), offers);
    const [pending] = await pendingEvaluations(sql, { limit: 10, offset: 0 });
    t.like(pending, offers);
  });
}

const failed = (by: string, count: number, other: Partial<Run> = {}): readonly Run[] =>
  Array.from({ length: count }, () => ({
    by,
    status: 'FAILED',
    failureClass: 'PROVIDER',
    ...other,
  }));
const byBoth = [...failed('val-a', 13), ...failed('val-b', 10)];
/** With the validator whose pause ends first, and so long after its last run. */
const pausing: readonly [string, Scene, readonly [string, number] | null][] = [
  ['work that all pause', { runs: byBoth }, ['val-b', 7_680]],
  [
    'work that the only one pauses that has no success of it',
    { runs: [...failed('val-a', 13), success('val-b')] },
    ['val-a', 61_440],
  ],
  ['work that one pauses, and one has not tried', { runs: failed('val-a', 13) }, null],
  [
    'work that one pauses, and one had in vain twice',
    { runs: [...failed('val-a', 13), ...failed('val-b', 2)] },
    null,
  ],
  [
    'work that one pauses, and one did until now',
    { runs: [...failed('val-a', 13), ...failed('val-b', 3, { secondsAgo: 60 })] },
    null,
  ],
  ['work that nobody may evaluate', { here: { miner: null }, runs: failed('miner', 13) }, null],
  ['work of a race, of which nothing is said', { phase: 'RACE', runs: byBoth }, null],
];

for (const [what, scene, first] of pausing) {
  test(`of the validators that are here it is known how long they pause ${what}`, async (t) => {
    const { sql } = await testDatabase(t);
    await plant(sql, scene);
    const [by, seconds] = first ?? [null, 0];
    const [row] = await sql<{ endsAt: Date | null }[]>`
      select max(completed_at) + ${seconds} * interval '1 second' as "endsAt"
      from evaluation_run where validator_hotkey = ${by}`;

    t.deepEqual((await waitingOf(sql, agentVersionId))?.pausedUntil, row?.endsAt);
    const [pending] = await pendingEvaluations(sql, { limit: 10, offset: 0 });
    t.deepEqual(pending?.pausedUntil, row?.endsAt);
  });
}

// Anybody may ask, and such work gathers a run a day of each validator for years.
test('of what was tried 5,000 times few runs are read to know how long it is paused', async (t) => {
  const { sql, url } = await testDatabase(t);
  await plant(sql, { runs: failed('val-a', 1), here: { 'val-a': null } });
  await transaction(sql, {}, async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
        execution_kind, validator_hotkey, slot, fence, status, failure_class, claimed_at,
        lease_expires_at, completed_at, expected_items)
      select gen_random_uuid(), part, work_item_id, agent_version_id, suite_id, phase, execution_kind,
        validator_hotkey, slot, fence + n, status, failure_class, claimed_at, lease_expires_at,
        completed_at - n * interval '1 day', expected_items
      from evaluation_run, generate_series(1, 5_000) n`;
  });
  await sql`vacuum analyze work_item, evaluation_run, validator`;
  const edge = createSql({ url, applicationName: 'status', max: 1 });
  t.teardown(() => closeSql(edge));
  const readSoFar = async () => {
    await edge`select pg_stat_force_next_flush()`;
    await edge`select 1`;
    const [row] = await sql<{ rows: number }[]>`
      select (seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as rows
      from pg_stat_user_tables where relname = 'evaluation_run'`;
    return row?.rows ?? Number.NaN;
  };
  const before = await readSoFar();

  t.truthy((await waitingOf(edge, agentVersionId))?.pausedUntil);

  const read = (await readSoFar()) - before;
  t.true(read < 40, `${read} runs`);
});

test('who is banned is no validator that is here', async (t) => {
  const { sql } = await testDatabase(t);
  await plant(sql, { banned: 'val-b' });

  t.is((await presenceNow(sql)).activeValidators, 1);
});

test('a version that waits twice is told the place of what was queued last', async (t) => {
  const { sql } = await testDatabase(t);
  await plant(sql, {});
  await transaction(sql, {}, async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, suite_id, phase,
        race_id, state, required_successes, queued_at, queue_order_at)
      select gen_random_uuid(), part, agent_version_id, miner_hotkey, suite_id, 'RACE',
        gen_random_uuid(), 'OPEN', 2, queued_at + interval '1 minute', queue_order_at
      from work_item`;
  });
  t.is((await waitingOf(sql, agentVersionId))?.phase, 'RACE');

  await sql`
    update work_item set queued_at = queued_at + interval '1 hour' where phase = 'QUALIFYING'`;
  t.like(await waitingOf(sql, agentVersionId), { phase: 'QUALIFYING', itemsAhead: 1 });
});
