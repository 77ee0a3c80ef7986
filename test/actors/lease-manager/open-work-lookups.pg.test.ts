import test from 'ava';
import { PartitionState } from '../../../actors/lease-manager/partition-state.ts';
import { claimView } from '../../../actors/lease-manager/reads.ts';
import { EvalStore } from '../../../actors/lease-manager/store.ts';
import { countStuck } from '../../../actors/services/stuck/find-stuck.ts';
import { stuckRecords } from '../../../actors/services/stuck/kinds.ts';
import { pendingSummary } from '../../../apps/edge/reads/evaluations.ts';
import { readOverview } from '../../../apps/edge/reads/operator.ts';
import { waitingOf } from '../../../apps/edge/reads/waiting.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';
import { evalPolicy } from '../../support/eval-world.ts';
import { lookedAt } from '../../support/looked-at.ts';

const open = 400;

/** Versions with a piece of work each, of which all the runs that it needs are under way or over. */
async function versionsWithWork(
  admin: Sql,
  of: { readonly state: 'CLOSED' | 'OPEN'; readonly from: number; readonly count: number },
): Promise<void> {
  const { state, from, count } = of;
  const isOver = state === 'CLOSED';
  await transaction(admin, {}, async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`create temporary table planted on commit drop as
      select n, md5('work' || n)::uuid as work_id, md5('version' || n)::uuid as version_id
      from generate_series(${from}::integer, ${from + count - 1}::integer) n`;
    await tx`
      insert into agent_version (agent_version_id, part, agent_id, agent_name, miner_hotkey, version_number,
        suite_id, state, submitted_at, code_sha256, code_size_bytes, required_successes)
      select version_id, n % 64, version_id, 'mine', 'miner-' || n, 1, 1,
        ${isOver ? 'ELIGIBLE' : 'RUNNING'}, rt.clock(), 'hash', 1, 2
      from planted`;
    await tx`
      insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, suite_id, phase, state,
        required_successes, live_count, included_success_count, queued_at, queue_order_at, closed_at)
      select work_id, n % 64, version_id, 'miner-' || n, 1, 'QUALIFYING', ${state}, 2,
        ${isOver ? 0 : 2}, ${isOver ? 2 : 0}, rt.clock(), rt.clock(),
        case when ${isOver} then rt.clock() end
      from planted`;
  });
}

/** At night, when no work was open, the rows were counted, and nobody counts again for a while. */
async function morning(admin: Sql): Promise<{ readonly versionId: string; readonly part: number }> {
  await versionsWithWork(admin, { state: 'CLOSED', from: 1, count: 20_000 });
  await admin`vacuum analyze work_item, agent_version`;
  await versionsWithWork(admin, { state: 'OPEN', from: 20_001, count: open });
  const [version] = await admin<{ versionId: string; part: number }[]>`
    select agent_version_id as "versionId", part from work_item
    where work_item_id = md5('work20200')::uuid`;
  if (version === undefined) throw new Error('no version was planted');
  return version;
}

test('whether a version is stuck is seen by its own work, whatever else is open', async (t) => {
  const { sql } = await testDatabase(t);
  await morning(sql);

  const [, looked] = await lookedAt(sql, 'work_item', (tx) => countStuck(tx, stuckRecords));

  // Once for itself, and once for its version.
  t.true(looked >= open && looked <= 3 * open, `${looked} rows`);
});

test('what is loaded for one version reads no work of others, also of thousands that are open', async (t) => {
  const { sql } = await testDatabase(t);
  const { versionId, part } = await morning(sql);
  const state = new PartitionState(evalPolicy);
  const command = {
    id: 'one',
    type: 'submit-version',
    body: { agentVersionId: versionId },
    account: 'miner',
    trace: {},
  };

  const [, looked] = await lookedAt(sql, 'work_item', (tx) =>
    new EvalStore(tx, part, 0).load(state, [command]),
  );

  t.is(state.queueOrderMs.size, 1);
  t.is(looked, 1);
});

test('what a version waits for is looked up by that version', async (t) => {
  const { sql } = await testDatabase(t);
  const { versionId } = await morning(sql);

  const [waiting, looked] = await lookedAt(sql, 'work_item', (tx) => waitingOf(tx, versionId));

  t.is(waiting?.itemsAhead, 0);
  t.is(looked, 1);
});

test('a claim that is given nothing does not read all that others are at', async (t) => {
  const { sql: admin, url } = await testDatabase(t);
  await morning(admin);
  const sql = createSql({ url, applicationName: 'claims', max: 1, isByIndex: true });
  t.teardown(() => closeSql(sql));

  const [{ candidates }, looked] = await lookedAt(sql, 'work_item', (tx) =>
    claimView(tx, { validatorHotkey: 'val-a', validatorColdkey: null, slots: 10, limit: 6 }),
  );

  t.deepEqual(candidates, []);
  t.is(looked, 0);
});

test('who asks for all open work reads that, and none that is over', async (t) => {
  const { sql } = await testDatabase(t);
  await morning(sql);

  const [summary, ofSummary] = await lookedAt(sql, 'work_item', pendingSummary);
  const [overview, ofOverview] = await lookedAt(sql, 'work_item', readOverview);

  t.is(summary.totalRunsActive, 2 * open);
  t.is(ofSummary, open);
  t.is(overview.openWorkItems, open);
  t.true(ofOverview <= open, `${ofOverview} rows`);
});
