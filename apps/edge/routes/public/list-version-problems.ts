import { z } from 'zod';
import { Fault } from '../../../../machines/fault.ts';
import { endpoint } from '../../endpoint.ts';
import { versionById } from '../../reads/agent-versions.ts';
import type { RunRow } from '../../reads/runs.ts';
import {
  episodesOfRuns,
  type ProgressRow,
  progressOfRuns,
  runsOfVersion,
} from '../../reads/runs.ts';
import { publicProblems, type SuiteProblemRow, suiteById } from '../../reads/suites.ts';
import {
  generatedResult,
  isDetailReleased,
  problemResult,
  toGeneratedResult,
  toProblemResult,
} from '../../wire/generated-results.ts';
import { uuid, uuidOut } from '../../wire/uuid.ts';

const problemProgress = z
  .object({
    agent_version_id: uuidOut,
    suite_id: z.number().int(),
    problems: z.array(
      z.object({
        problem_id: uuidOut,
        category: z.string().nullable(),
        phase: z.string(),
        race_id: uuidOut.nullable(),
        validator_results: z.array(problemResult),
      }),
    ),
    generated_results: z.array(generatedResult),
    qualifying_tasks: z.array(
      z.object({ task_id: z.string(), family: z.string(), goal_text: z.string() }),
    ),
  })
  .meta({ id: 'ProblemProgress' });

/** `race_id` implies RACE; without either, every run counts. */
function isAskedFor(
  run: RunRow,
  query: { phase?: string | undefined; race_id?: string | undefined },
) {
  if (query.race_id !== undefined) return run.raceId === query.race_id;
  return query.phase === undefined || run.phase === query.phase;
}

function toProblem(
  problem: SuiteProblemRow,
  runs: ReadonlyMap<string, RunRow>,
  progress: readonly ProgressRow[],
) {
  return {
    problem_id: problem.problemId,
    category: problem.category ?? problem.family,
    phase: 'QUALIFYING',
    race_id: null,
    validator_results: progress.flatMap((row) => {
      const run = runs.get(row.evalRunId);
      return row.problemId === problem.problemId && run !== undefined && isDetailReleased(run)
        ? [toProblemResult(run, row)]
        : [];
    }),
  };
}

export const listVersionProblems = endpoint({
  method: 'get',
  path: '/v1/public/agent-versions/{agent_version_id}/problems',
  role: 'public',
  summary: 'What every validator saw of an agent version, by problem and by run',
  trafficClass: 2,
  params: z.object({ agent_version_id: uuid }),
  query: z.object({ phase: z.enum(['QUALIFYING', 'RACE']).optional(), race_id: uuid.optional() }),
  response: problemProgress,
  faults: ['AGENT_VERSION_NOT_FOUND'],

  async handle({ params, query }, { sql }) {
    const version = await versionById(sql, params.agent_version_id);
    const suite = version && (await suiteById(sql, version.suiteId));
    if (version === undefined || suite === undefined) {
      throw new Fault('AGENT_VERSION_NOT_FOUND', 'no such agent version');
    }
    const all = await runsOfVersion(sql, version.agentVersionId);
    const runs = new Map(
      all.filter((run) => isAskedFor(run, query)).map((run) => [run.evalRunId, run]),
    );
    const [episodes, progress, problems] = await Promise.all([
      episodesOfRuns(sql, [...runs.keys()]),
      progressOfRuns(sql, [...runs.keys()]),
      publicProblems(sql, version.suiteId, false),
    ]);
    const byId = new Map(problems.map((problem) => [problem.problemId, problem]));
    const isQualifyingShown = query.phase !== 'RACE' && query.race_id === undefined;
    return {
      agent_version_id: version.agentVersionId,
      suite_id: version.suiteId,
      problems: isQualifyingShown
        ? problems.map((problem) => toProblem(problem, runs, progress))
        : [],
      generated_results: [...runs.values()].map((run) =>
        toGeneratedResult(run, { suite, problems: byId, episodes, progress }),
      ),
      qualifying_tasks: problems.flatMap(({ taskId, family, goalText }) =>
        taskId === null
          ? []
          : [{ task_id: taskId, family: family ?? '', goal_text: goalText ?? '' }],
      ),
    };
  },
});
