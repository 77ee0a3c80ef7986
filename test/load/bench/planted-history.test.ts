import test from 'ava';
import { everyCheck } from '../../../apps/verify/live/checks/every-check.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { openRules } from '../../support/service-world.ts';
import { until } from '../../support/until.ts';
import { productSide } from './crowd-side.ts';
import { Lab, untilCaughtUp } from './lab.ts';
import { plantHistory, templateOf } from './planted-history.ts';

const requiredSuccesses = 3;
const copies = 40;

/** The database's own clean-up holds a table longer than a statement of ours waits for a lock. */
async function besideCleanUp(sql: Sql, plant: () => Promise<void>): Promise<void> {
  const session = await sql.reserve();
  await session`begin`;
  await session`set local idle_in_transaction_session_timeout = 0`;
  await session`lock table rt.snapshot in share update exclusive mode`;
  const planted = plant();
  await Promise.race([planted, until(async () => await isWaitingLong(sql))]);
  await session`commit`;
  session.release();
  await planted;
}

async function isWaitingLong(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ isWaiting: boolean }[]>`
    select count(*) > 0 as "isWaiting" from pg_stat_activity
    where wait_event_type = 'Lock' and query like 'vacuum%'
      and clock_timestamp() - query_start > 2 * current_setting('lock_timeout')::interval`;
  return row?.isWaiting === true;
}

// A history that the service could not have written would say nothing of what it costs to have one.
test('planted history passes every check of the live service', async (t) => {
  await using lab = new Lab({ isQuick: true, rounds: 1, say: t.log });
  await using product = await lab.ownProduct({ validators: requiredSuccesses, requiredSuccesses });
  await using side = await productSide(product);
  const { sql } = product.world;
  const stage = { auth: 'session', connections: 1 } as const;
  await side.supply(requiredSuccesses);
  await side.perform({ ...stage, name: 'claims', operationsMax: requiredSuccesses });
  for (const name of ['first heartbeats', 'item batches', 'completions'] as const) {
    await side.perform({ ...stage, name });
  }
  await untilCaughtUp(sql);

  const template = await templateOf(sql);
  await plantHistory(sql, template, { from: 0, count: copies / 2 });
  await besideCleanUp(sql, () =>
    plantHistory(sql, template, { from: copies / 2, count: copies / 2 }),
  );

  t.is(template.runs, requiredSuccesses);
  const [row] = await sql<{ runs: number; partitions: number }[]>`
    select count(*)::integer as runs, count(distinct part)::integer as partitions
    from evaluation_run where status = 'SUCCESS'`;
  t.is(row?.runs, requiredSuccesses * (copies + 1));
  t.true((row?.partitions ?? 0) > 10);
  for (const { id, rule, find } of everyCheck)
    t.deepEqual([...(await find(sql, openRules))], [], `${id} ${rule}`);
});
