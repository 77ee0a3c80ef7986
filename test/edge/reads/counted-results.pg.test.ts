import { randomUUID } from 'node:crypto';
import test from 'ava';
import { episodesOfRuns } from '../../../apps/edge/reads/runs.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';

const evalRunId = randomUUID();
const checks = { total: 'passed', cart: 'passed', price: 'failed', stock: 'unknown' };
// Of a quarter of a megabyte, as many as one result may bring: 83,000 parts in one component.
const components = { a: Array(83_000).fill({}), b: 0.5 };
const counted = { checksPassed: 2, checksFailed: 1, checksUnknown: 1, componentCount: 2 };

/** Thirty results, with the counts that an edge sent, or of before there were any. */
async function plant(sql: Sql, counts: readonly (number | null)[]): Promise<void> {
  const [passed = null, failed = null, unknown = null, component = null] = counts;
  await transaction(sql, {}, async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into episode_result (eval_run_id, task_id, episode_result_id, part, family, outcome,
        verdict_correct, verdict_checks, reward_components, checks_passed, checks_failed,
        checks_unknown, component_count, step_count, created_at)
      select ${evalRunId}, 'task ' || n, gen_random_uuid(), 0, 'cart', 'completed', true,
        ${JSON.stringify(checks)}::text::jsonb, ${JSON.stringify(components)}::text::jsonb,
        ${passed}::integer, ${failed}::integer, ${unknown}::integer, ${component}::integer, 4,
        rt.clock()
      from generate_series(1, 30) n`;
  });
}

/** What `read` gives, and from how many pages of values that lie outside of their rows. */
async function opened<T>(sql: Sql, read: (tx: Sql) => Promise<T>): Promise<[T, number]> {
  const pages = async () => {
    const [row] = await sql<{ pages: number }[]>`
      select (toast_blks_read + toast_blks_hit)::int as pages
      from pg_statio_user_tables where relname = 'episode_result'`;
    return row?.pages ?? 0;
  };
  const reported = async () => {
    await sql`select pg_stat_force_next_flush()`;
    await sql`select 1`;
  };
  await reported();
  const before = await pages();
  const given = await read(sql);
  await reported();
  return [given, (await pages()) - before];
}

test('what is counted of results is read without opening them', async (t) => {
  const { sql } = await testDatabase(t);
  await plant(sql, [2, 1, 1, 2]);

  const [results, pages] = await opened(sql, (tx) => episodesOfRuns(tx, [evalRunId]));

  t.is(results.length, 30);
  for (const result of results) t.like(result, counted);
  t.true(JSON.stringify(results).length < 30 * 400, 'none of what was counted is carried');
  t.is(pages, 0);
});

test('results of before there were counts are counted where they lie', async (t) => {
  const { sql } = await testDatabase(t);
  await plant(sql, []);

  const [results, pages] = await opened(sql, (tx) => episodesOfRuns(tx, [evalRunId]));

  t.is(results.length, 30);
  for (const result of results) t.like(result, counted);
  t.true(JSON.stringify(results).length < 30 * 400);
  t.true(pages > 0, 'else the other test says nothing');
});
