import type { Sql } from '../../infra/ports/sql.ts';
import type { RaceTerms, Roster, SuiteRoster } from './aggregate.ts';

interface ProblemRow {
  readonly problemId: string;
  readonly taskId: string | null;
  readonly family: string | null;
}

export async function readSuites(
  sql: Sql,
  suiteIds: readonly number[],
): Promise<readonly SuiteRoster[]> {
  if (suiteIds.length === 0) return [];
  const [suites, problems] = await Promise.all([
    sql<Omit<SuiteRoster, 'qualifying'>[]>`
      select suite_id as "suiteId", execution_kind as "executionKind",
             env_pack_sha256 as "envPackSha256",
             required_successes_qualifying as "requiredSuccessesQualifying"
      from suite
      where suite_id = any(${[...suiteIds]}::int[])`,
    sql<(ProblemRow & { suiteId: number })[]>`
      select suite_id as "suiteId", problem_id as "problemId", task_id as "taskId", family
      from suite_problem
      where suite_id = any(${[...suiteIds]}::int[]) and phase = 'QUALIFYING'
      order by suite_id, ordinal`,
  ]);
  const ofSuite = Map.groupBy(problems, ({ suiteId }) => suiteId);
  return suites.map((suite) => ({
    ...suite,
    qualifying: rosterOf(ofSuite.get(suite.suiteId) ?? []),
  }));
}

export async function readRaces(
  sql: Sql,
  raceIds: readonly string[],
): Promise<ReadonlyMap<string, RaceTerms>> {
  if (raceIds.length === 0) return new Map();
  const races = await sql<{ raceId: string; isRunning: boolean; isJudged: boolean }[]>`
    select race_id as "raceId", status = 'RACE_RUNNING' as "isRunning",
           exists (
             select from evaluation_run r
             join rejudging_run j on j.eval_run_id = r.eval_run_id
             where r.race_id = race.race_id) as "isJudged"
    from race
    where race_id = any(${[...raceIds]}::uuid[])`;
  const evaluated = races.filter(({ isRunning, isJudged }) => isRunning || isJudged);
  const tasks = await sql<(ProblemRow & { raceId: string })[]>`
    select race_id as "raceId", problem_id as "problemId", task_id as "taskId", family
    from race_task
    where race_id = any(${evaluated.map(({ raceId }) => raceId)}::uuid[])
    order by race_id, ordinal`;
  const ofRace = Map.groupBy(tasks, ({ raceId }) => raceId);
  return new Map(
    races.map(({ raceId, isRunning }) => [
      raceId,
      { isRunning, roster: rosterOf(ofRace.get(raceId) ?? []) },
    ]),
  );
}

function rosterOf(rows: readonly ProblemRow[]): Roster {
  return {
    problemIds: new Set(rows.map(({ problemId }) => problemId)),
    families: new Map(
      rows.flatMap(({ taskId, family }) => (taskId === null ? [] : [[taskId, family ?? '']])),
    ),
  };
}
