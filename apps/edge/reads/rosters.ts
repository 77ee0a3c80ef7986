import type { Sql } from '../../../infra/ports/sql.ts';
import { publicProblems, type SuiteProblemRow } from './suites.ts';

/**
 * What a run has to work on, in roster order: the suite's public rows, or the held-out ones of its
 * race. A pack's held-out tasks stand in no suite.
 */
export async function rosterOf(
  sql: Sql,
  { suiteId, raceId }: { readonly suiteId: number; readonly raceId: string | null },
  includeEmbeddings = false,
): Promise<readonly SuiteProblemRow[]> {
  if (raceId === null) return await publicProblems(sql, suiteId, includeEmbeddings);
  return await sql<SuiteProblemRow[]>`
    select t.problem_id as "problemId", t.task_id as "taskId",
      coalesce(t.family, p.family) as family, p.goal_text as "goalText", p.category,
      coalesce(p.metadata, '{}') as metadata,
      ${includeEmbeddings ? sql`p.embeddings` : sql`null as embeddings`}
    from race_task t
    left join suite_problem p on p.suite_id = ${suiteId} and p.problem_id = t.problem_id
    where t.race_id = ${raceId}
    order by t.ordinal`;
}
