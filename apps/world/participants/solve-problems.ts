import type { HeldRun, RunContext } from './held-run.ts';
import { upload } from './object-transfer.ts';
import { expectOk } from './refusal.ts';
import { type AgentTraits, tryTask } from './seeded-rule.ts';
import { logTarget, problemsAnswer } from './validator-answers.ts';
import type { Conclusion, WorkRule } from './work-rule.ts';

// `legacy_benchmark` (rules.md, section 1): reasoning counts in full from this mean quality on.
const reasoningForFull = 0.8;
const shareWithoutReasoning = 0.3;

/** A `legacy_benchmark` run: each problem is reported when it starts and when it is done. */
export async function solveProblems(
  run: HeldRun,
  agent: AgentTraits,
  { context, rule }: { readonly context: RunContext; readonly rule: WorkRule },
): Promise<Conclusion> {
  const reply = await context.client.request('GET', run.path('problems'));
  const { problems } = problemsAnswer.parse(expectOk('the problems', reply));
  const ids = problems.map(({ problem_id: id }) => id);
  let solved = 0;
  let reasoning = 0;
  let before: readonly object[] = [];
  for (const [index, id] of ids.entries()) {
    await report(run, [...before, { problem_id: id, status: 'RUNNING' }]);
    await run.work(rule.taskMs);
    const trial = { seed: rule.seed, agent, taskId: id, validatorHotkey: context.client.hotkey };
    const outcome = tryTask(trial);
    solved += outcome.isCorrect ? 1 : 0;
    reasoning += outcome.reasoning;
    const logsKey = index < rule.artifactsPerRun ? await uploadLogs(run, context, id) : null;
    before = [
      {
        problem_id: id,
        status: outcome.isCorrect ? 'SUCCESS' : 'FAILED',
        score: outcome.isCorrect ? 1 : 0,
        reasoning_score: outcome.reasoning,
        inference_failure_count: 0,
        inference_total: outcome.steps,
        execution_time: outcome.wallSeconds,
        logs_s3_key: logsKey,
      },
    ];
  }
  await report(run, before);
  return conclude({ total: ids.length, solved, reasoning });
}

async function report(run: HeldRun, problems: readonly object[]): Promise<void> {
  if (problems.length > 0) await run.send('progress', run.path('progress'), { problems });
}

async function uploadLogs(run: HeldRun, { clock }: RunContext, problemId: string): Promise<string> {
  const bytes = Buffer.from(`problem ${problemId} of run ${run.claim.eval_run_id}\n`);
  const answer = await run.send('a presign', '/v1/validator/uploads/presign', {
    eval_run_id: run.claim.eval_run_id,
    problem_id: problemId,
    content_length: bytes.length,
    content_type: 'text/plain',
  });
  const target = logTarget.parse(answer);
  await upload(clock, target.upload_url, { bytes, contentType: 'text/plain' });
  return target.results_s3_key;
}

/** score = success rate × (0.3 + 0.7 × min(1, mean reasoning ÷ 0.80)) */
export function conclude(of: {
  readonly total: number;
  readonly solved: number;
  readonly reasoning: number;
}): Conclusion {
  const total = Math.max(1, of.total);
  const successRate = of.solved / total;
  const meanReasoning = of.reasoning / total;
  const weight = Math.min(1, meanReasoning / reasoningForFull);
  return {
    score: successRate * (shareWithoutReasoning + (1 - shareWithoutReasoning) * weight),
    components: {
      success_rate: successRate,
      reasoning_quality: meanReasoning,
      scored_problems: of.total,
      total_problems: of.total,
    },
  };
}
