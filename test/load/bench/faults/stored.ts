import type { Sql } from '../../../../infra/ports/sql.ts';
import type { FencedRun } from './lateness.ts';
import type { Acknowledged } from './streams.ts';

/** Every run there is, with when its owner decided that it began and ended. */
export async function fencedRuns(sql: Sql): Promise<readonly FencedRun[]> {
  return await sql<FencedRun[]>`
    select eval_run_id as "evalRunId", work_item_id as "workItemId", fence::float8 as fence,
           (extract(epoch from claimed_at) * 1000)::float8 as "claimedMs",
           (extract(epoch from completed_at) * 1000)::float8 as "endMs"
    from evaluation_run`;
}

const shownMax = 5;

/** What was acknowledged and is not stored, a sentence each. */
export async function lostOf(
  sql: Sql,
  { claims, completed, results }: Acknowledged,
): Promise<readonly string[]> {
  const rows = await sql<{ id: string; status: string; items: number }[]>`
    select r.eval_run_id as id, r.status,
           (select count(*) from episode_result e
            where e.eval_run_id = r.eval_run_id)::integer as items
    from evaluation_run r`;
  const stored = new Map(rows.map((row) => [row.id, row]));
  const lost = [
    ...claims
      .filter(({ evalRunId }) => !stored.has(evalRunId))
      .map(({ evalRunId }) => `the claim of run ${evalRunId} is lost`),
    ...completed
      .filter((evalRunId) => stored.get(evalRunId)?.status !== 'SUCCESS')
      .map((evalRunId) => `the completion of run ${evalRunId} is lost`),
    ...results
      .filter(([evalRunId, count]) => (stored.get(evalRunId)?.items ?? 0) < count)
      .map(([evalRunId]) => `results of run ${evalRunId} are lost`),
  ];
  const more = lost.length > shownMax ? [`${lost.length} such in all`] : [];
  return [...lost.slice(0, shownMax), ...more];
}

/** Runs whose validator was punctual as long as it was there, and that went stale all the same. */
export async function staleAmong(sql: Sql, evalRunIds: readonly string[]): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count
    from evaluation_run
    where status = 'STALE' and eval_run_id = any(${[...evalRunIds]}::uuid[])`;
  return row?.count ?? 0;
}
