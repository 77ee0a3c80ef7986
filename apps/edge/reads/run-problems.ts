import type { Sql } from '../../../infra/ports/sql.ts';
import { publicProblems, type SuiteProblemRow } from './suites.ts';

export interface RunProblems {
  readonly validatorHotkey: string;
  readonly executionKind: 'legacy_benchmark' | 'envpack';
  readonly problems: readonly SuiteProblemRow[];
}

interface RunOfProblems {
  readonly suiteId: number;
  readonly raceId: string | null;
  readonly validatorHotkey: string;
  readonly executionKind: 'legacy_benchmark' | 'envpack';
}

/** What a run has to work on, in roster order: the suite's public rows, or those of its race. */
export async function problemsOfRun(sql: Sql, evalRunId: string): Promise<RunProblems | undefined> {
  const [run] = await sql<RunOfProblems[]>`
    select suite_id as "suiteId", race_id as "raceId", validator_hotkey as "validatorHotkey",
      execution_kind as "executionKind"
    from evaluation_run
    where eval_run_id = ${evalRunId}`;
  if (run === undefined) return undefined;
  const { suiteId, raceId, validatorHotkey, executionKind } = run;
  const problems = await (raceId === null
    ? publicProblems(sql, suiteId, true)
    : raceProblems(sql, suiteId, raceId));
  return { validatorHotkey, executionKind, problems };
}

/** A legacy race draws from the suite's held-out problems; a pack's held-out tasks are in no suite. */
async function raceProblems(
  sql: Sql,
  suiteId: number,
  raceId: string,
): Promise<readonly SuiteProblemRow[]> {
  return await sql<SuiteProblemRow[]>`
    select t.problem_id as "problemId", t.task_id as "taskId", t.family,
      held_out.goal_text as "goalText", held_out.category,
      coalesce(held_out.metadata, '{}') as metadata, held_out.embeddings
    from race_task t
    left join suite_problem held_out
      on held_out.suite_id = ${suiteId} and held_out.problem_id = t.problem_id
    where t.race_id = ${raceId}
    order by t.ordinal`;
}
