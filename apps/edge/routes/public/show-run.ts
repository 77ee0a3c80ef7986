import { z } from 'zod';
import { Fault } from '../../../../machines/fault.ts';
import { endpoint } from '../../endpoint.ts';
import { episodesOfRuns, progressOfRuns, runById } from '../../reads/runs.ts';
import { publicProblems, suiteById } from '../../reads/suites.ts';
import {
  isDetailReleased,
  resultIdentity,
  resultItems,
  toGeneratedResult,
} from '../../wire/generated-results.ts';
import { formatInstant, instant } from '../../wire/instant.ts';
import { runRecord, toRunRecord } from '../../wire/run-record.ts';
import { scoreOfMicro, scoreOut } from '../../wire/score.ts';
import { uuid, uuidOut } from '../../wire/uuid.ts';

const runProblem = z.object({
  problem_id: uuidOut,
  status: z.string(),
  score: scoreOut.nullable(),
  score_components: z.record(z.string(), z.unknown()).nullable(),
  reasoning_score: z.number().nullable(),
  inference_failure_count: z.number().int().nullable(),
  inference_total: z.number().int().nullable(),
  execution_time: z.number().nullable(),
  updated_at: instant,
});

const runDetail = runRecord
  .extend({
    score_components: z.record(z.string(), z.unknown()).nullable(),
    sandbox_metadata: z.record(z.string(), z.unknown()).nullable(),
    problems: z.array(runProblem),
    identity: resultIdentity,
    items: resultItems,
  })
  .meta({ id: 'EvaluationRunDetail' });

export const showRun = endpoint({
  method: 'get',
  path: '/v1/public/evaluation-runs/{eval_run_id}',
  role: 'public',
  summary: 'One evaluation run with its problems and results',
  trafficClass: 2,
  params: z.object({ eval_run_id: uuid }),
  response: runDetail,
  faults: ['EVAL_RUN_NOT_FOUND'],

  async handle({ params }, { sql }) {
    const run = await runById(sql, params.eval_run_id);
    const suite = run && (await suiteById(sql, run.suiteId));
    if (run === undefined || suite === undefined) {
      throw new Fault('EVAL_RUN_NOT_FOUND', 'no such evaluation run');
    }
    const [episodes, progress, problems] = await Promise.all([
      episodesOfRuns(sql, [run.evalRunId]),
      progressOfRuns(sql, [run.evalRunId]),
      publicProblems(sql, run.suiteId, false),
    ]);
    const byId = new Map(problems.map((problem) => [problem.problemId, problem]));
    const released = isDetailReleased(run);
    const result = toGeneratedResult(run, { suite, problems: byId, episodes, progress });
    return {
      ...toRunRecord(run),
      score_components: released ? run.scoreComponents : null,
      sandbox_metadata: released ? run.sandboxMetadata : null,
      problems: (released ? progress : []).map((row) => ({
        problem_id: row.problemId,
        status: row.status,
        score: scoreOfMicro(row.scoreMicro),
        score_components: row.scoreComponents,
        reasoning_score: row.reasoningScore,
        inference_failure_count: row.inferenceFailureCount,
        inference_total: row.inferenceTotal,
        execution_time: row.executionTime,
        updated_at: formatInstant(row.updatedAt),
      })),
      ...result,
    };
  },
});
