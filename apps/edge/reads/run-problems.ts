import type { Sql } from '../../../infra/ports/sql.ts';
import type { SuiteProblemRow } from './suites.ts';

export interface RunProblems {
  readonly validatorHotkey: string;
  readonly executionKind: 'legacy_benchmark' | 'envpack';
  readonly problems: readonly SuiteProblemRow[];
}

/** What a run has to work on, in roster order: the public rows for QUALIFYING, held-out for RACE. */
export async function problemsOfRun(sql: Sql, evalRunId: string): Promise<RunProblems | undefined> {
  const [run] = await sql<
    { suiteId: number; phase: string; validatorHotkey: string; executionKind: 'envpack' }[]
  >`
    select suite_id as "suiteId", phase, validator_hotkey as "validatorHotkey",
      execution_kind as "executionKind"
    from evaluation_run
    where eval_run_id = ${evalRunId}`;
  if (run === undefined) return undefined;
  const problems = await sql<SuiteProblemRow[]>`
    select problem_id as "problemId", task_id as "taskId", family, goal_text as "goalText", category,
      metadata, embeddings
    from suite_problem
    where suite_id = ${run.suiteId} and phase = ${run.phase}
    order by ordinal`;
  return { validatorHotkey: run.validatorHotkey, executionKind: run.executionKind, problems };
}
