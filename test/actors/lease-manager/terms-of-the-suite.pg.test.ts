import { randomUUID } from 'node:crypto';
import test from 'ava';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { createMembershipStore } from '../../../infra/postgres/membership-store.ts';
import { createPartitionStore } from '../../../infra/postgres/partition-store.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';
import { batch } from '../../support/commit-desk.ts';
import { plantSuite } from '../../support/planted-races.ts';
import { until } from '../../support/until.ts';

test('a submission that waits for a race to open is admitted on no terms of before', async (t) => {
  const { url, sql: admin } = await testDatabase(t);
  const actor = createSql({ url, applicationName: 'actor', role: 'paddock_actor' });
  t.teardown(() => closeSql(actor));
  const suiteId = await plantSuite(admin);
  await admin`
    update suite set is_active = true, activated_at = rt.clock() where suite_id = ${suiteId}`;
  const members = createMembershipStore(actor);
  const identity = { memberId: 'first', incarnation: randomUUID() };
  await members.join({ ...identity, ttlMs: 60_000, codeVersion: 1, kinds: ['eval'] });
  const ref = { kind: 'eval', part: 0 };
  const { epoch = -1 } = (await members.claim(ref, 0, identity)) ?? {};
  const token = { ...ref, epoch, incarnation: identity.incarnation };
  const store = createPartitionStore(actor);
  const submit = (requiredSuccesses: number) =>
    store.commit(
      token,
      batch({ operations: { admit_submission: [submission(suiteId, requiredSuccesses)] } }),
    );

  const { waited } = await transaction(admin, {}, async (tx) => {
    // As the commit that opens a race under a changed policy does.
    await tx`
      update suite set required_successes_qualifying = required_successes_qualifying + 1
      where suite_id = ${suiteId}`;
    const outcome = submit(2);
    await until(async () => {
      const rows = await admin`
        select from pg_stat_activity
        where datname = current_database() and application_name = 'actor' and wait_event_type = 'Lock'`;
      return rows.length > 0;
    });
    return { waited: outcome };
  });

  const outcome = await waited;
  t.like(outcome, { kind: 'contended' });
  t.deepEqual([...(await admin`select from agent_version`)], []);
  t.is((await submit(3)).kind, 'committed');
});

function submission(suiteId: number, requiredSuccesses: number) {
  const at = new Date().toISOString();
  return {
    ...{ cmd: 'submit', agent_version_id: randomUUID(), agent_id: randomUUID() },
    ...{ agent_name: 'agent', miner_hotkey: 'miner', miner_coldkey: null, suite_id: suiteId },
    ...{ code_sha256: 'a'.repeat(64), code_size_bytes: 1, submitted_at: at, next_allowed_at: at },
    ...{ required_successes: requiredSuccesses, work_item_id: randomUUID(), queue_spacing_ms: 0 },
  };
}
