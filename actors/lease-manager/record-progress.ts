import { Fault } from '../../machines/fault.ts';
import { glimpse, refusal } from '../../machines/refusal.ts';
import { type Answer, accepted, refused } from './answer.ts';
import type { Draft } from './draft.ts';
import type { EvalReply, EvalRequest } from './messages.ts';
import { heldRun } from './own-run.ts';
import { recordSign } from './sign-of-life.ts';

/** Upserts what the validator says of its problems; absent fields leave what was stored. */
export function recordProgress(draft: Draft, progress: EvalRequest<'record-progress'>): Answer {
  const held = heldRun(draft, progress);
  if (held instanceof Fault) return refused(held);
  const { problemIds } = draft.state.roster(held.run.context);
  const reported = progress.problems.map(({ problemId }) => problemId);
  const foreign = [...reported, ...(progress.laterProblemIds ?? [])].find(
    (problemId) => !problemIds.has(problemId),
  );
  if (foreign !== undefined) {
    return refused(
      refusal('INVALID_PROBLEM_ID', {
        says: `Problem ${glimpse(foreign)} is not of this run.`,
      }),
    );
  }
  const { nowMs } = draft;
  const leaseUntil = draft.state.deadlines.promise(progress.evalRunId, nowMs, 'progress');
  const recorded = { type: 'PROGRESS_RECORDED', at: nowMs, leaseUntil } as const;
  recordSign(draft, held.run, leaseUntil, [recorded]);
  for (const problem of progress.problems) {
    draft.operation('problem_progress', {
      eval_run_id: progress.evalRunId,
      problem_id: problem.problemId,
      status: problem.status,
      score_micro: problem.scoreMicro,
      reasoning_score: problem.reasoningScore,
      score_components: problem.scoreComponents,
      inference_failure_count: problem.inferenceFailureCount,
      inference_total: problem.inferenceTotal,
      execution_time: problem.executionTime,
      logs_s3_key: problem.logsS3Key,
    });
  }
  const reply: EvalReply<'record-progress'> = { accepted: true };
  return accepted(reply, held.leaseUntilMs);
}
