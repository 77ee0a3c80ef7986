import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { isCarriedOut } from '../../../actors/services/carried-out-store.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';
import { patient } from '../../support/patient.ts';
import { until } from '../../support/until.ts';

async function start(t: ExecutionContext) {
  const { sql: admin, url } = await testDatabase(t);
  const line = { applicationName: 'services', role: 'paddock_service', max: 2 } as const;
  const sql = createSql({ ...patient(url), ...line });
  t.teardown(() => closeSql(sql));
  const asked = (id: string) => transaction(sql, {}, (tx) => isCarriedOut(tx, id));
  const isWaiting = () =>
    until(async () => {
      const rows = await admin`
        select 1 from pg_stat_activity
        where datname = current_database() and application_name = 'services'
          and wait_event_type = 'Lock'`;
      return rows.length > 0;
    });
  /** Carries `id` out, and ends as `end` says while another member is asked for the same. */
  const during = async (id: string, end: () => Promise<void>) => {
    let other: Promise<boolean> | undefined;
    const first = transaction(sql, {}, async (tx) => {
      t.false(await isCarriedOut(tx, id));
      other = asked(id);
      await isWaiting();
      await end();
    });
    await first.catch(() => undefined);
    return await other;
  };
  return { admin, asked, during };
}

test('of two tries at once one carries a command out', async (t) => {
  const { asked, during } = await start(t);
  const [done, refused] = [randomUUID(), randomUUID()];

  t.is(await during(done, async () => undefined), true);
  t.true(await asked(done));
  t.is(await during(refused, () => Promise.reject(new Error('refused'))), false);
  t.true(await asked(refused));
  t.false(await asked(randomUUID()));
});

test('what is older than an hour is forgotten with the next command', async (t) => {
  const { admin, asked } = await start(t);
  const [old, young, next] = [randomUUID(), randomUUID(), randomUUID()];
  await asked(old);
  await admin`
    update carried_out set carried_out_at = carried_out_at - interval '61 minutes'`;
  await asked(young);
  await admin`
    update carried_out set carried_out_at = carried_out_at - interval '30 minutes'`;
  await asked(next);

  const kept = await admin<{ id: string }[]>`select command_id as id from carried_out`;
  t.deepEqual(kept.map(({ id }) => id).sort(), [young, next].sort());
});
