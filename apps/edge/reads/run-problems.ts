import type { Sql } from '../../../infra/ports/sql.ts';
import { rosterOf } from './rosters.ts';
import type { SuiteProblemRow } from './suites.ts';

export interface RunProblems {
  readonly validatorHotkey: string;
  readonly executionKind: 'legacy_benchmark' | 'envpack';
  readonly problems: readonly SuiteProblemRow[];
}

interface RunOfProblems extends Omit<RunProblems, 'problems'> {
  readonly suiteId: number;
  readonly raceId: string | null;
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
  const problems = await rosterOf(sql, { suiteId, raceId }, true);
  return { validatorHotkey, executionKind, problems };
}
