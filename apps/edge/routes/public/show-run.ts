import { z } from 'zod';
import { refusal } from '../../../../machines/refusal.ts';
import { endpoint } from '../../endpoint.ts';
import { liveRead } from '../../public-reads/send-representation.ts';
import { rosterOf } from '../../reads/rosters.ts';
import { episodesOfRuns, type ProgressRow, progressOfRuns, runById } from '../../reads/runs.ts';
import { suiteById } from '../../reads/suites.ts';
import { resultIdentity, resultItems, toGeneratedResult } from '../../wire/generated-results.ts';
import { formatInstant, instant } from '../../wire/instant.ts';
import { publicRun } from '../../wire/public-run.ts';
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

function toRunProblem(row: ProgressRow): z.infer<typeof runProblem> {
  return {
    problem_id: row.problemId,
    status: row.status,
    score: scoreOfMicro(row.scoreMicro),
    score_components: row.scoreComponents,
    reasoning_score: row.reasoningScore,
    inference_failure_count: row.inferenceFailureCount,
    inference_total: row.inferenceTotal,
    execution_time: row.executionTime,
    updated_at: formatInstant(row.updatedAt),
  };
}

export const showRun = endpoint({
  method: 'get',
  path: '/v1/public/evaluation-runs/{eval_run_id}',
  role: 'public',
  owner: 'nobody',
  summary: 'One evaluation run with its problems and results',
  trafficClass: 2,
  cache: liveRead,
  params: z.object({ eval_run_id: uuid }),
  response: runDetail,
  faults: ['EVAL_RUN_NOT_FOUND'],

  async handle({ params }, { sql }) {
    const found = await runById(sql, params.eval_run_id);
    const suite = found && (await suiteById(sql, found.suiteId));
    if (found === undefined || suite === undefined) {
      throw refusal('EVAL_RUN_NOT_FOUND');
    }
    const run = publicRun(found);
    const readable = run.isReleased ? [run.evalRunId] : [];
    const [episodes, progress, problems] = await Promise.all([
      episodesOfRuns(sql, readable),
      progressOfRuns(sql, readable),
      run.isReleased ? rosterOf(sql, run) : [],
    ]);
    const byId = new Map(problems.map((problem) => [problem.problemId, problem]));
    return {
      ...toRunRecord(run),
      score_components: run.scoreComponents,
      sandbox_metadata: run.sandboxMetadata,
      problems: progress.map(toRunProblem),
      ...toGeneratedResult(run, { suite, problems: byId, episodes, progress }),
    };
  },
});
