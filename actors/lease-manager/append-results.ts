import { type Judgement, judgeResult, tallyOf } from '../../machines/evaluation-run/results.ts';
import { Fault } from '../../machines/fault.ts';
import { type Answer, accepted } from './answer.ts';
import type { Draft } from './draft.ts';
import type { EvalReply, EvalRequest } from './messages.ts';
import { type HeldRun, heldRun } from './own-run.ts';
import { recordSign } from './sign-of-life.ts';

type Request = EvalRequest<'append-results'>;
type EpisodeResult = Request['results'][number];
type ItemReply = EvalReply<'append-results'>['items'][number];

/** Stores what can be stored; every item gets its own status, and none refuses the batch. */
export function appendResults(draft: Draft, request: Request): Answer {
  const held = heldRun(draft, request);
  if (held instanceof Fault) {
    const refusal = refusalOfItem(held);
    return accepted({ items: request.results.map(() => refusal) });
  }
  const stored: EpisodeResult[] = [];
  const items = judgeAll(draft, request, held, stored);
  if (stored.length === 0) return accepted({ items });
  store(draft, request, held, stored);
  return accepted({ items }, held.leaseUntilMs);
}

function refusalOfItem(fault: Fault): ItemReply {
  const isForeign = fault.code === 'EVAL_RUN_NOT_FOUND' || fault.code === 'NOT_RUN_OWNER';
  return {
    status: isForeign ? 404 : 422,
    episodeResultId: null,
    error: isForeign ? 'evaluation run not found' : 'the run is not live',
  };
}

function judgeAll(
  draft: Draft,
  request: Request,
  { run }: HeldRun,
  stored: EpisodeResult[],
): ItemReply[] {
  const { envPackSha256 } = run.context;
  const ledger = draft.ledger(request.evalRunId);
  const storedTaskIds = new Set(ledger.taskIds);
  const rules = {
    envPackSha256,
    families: draft.state.roster(run.context).families,
    storedTaskIds,
    presignedSha256: ledger.artifactSha256,
    artifactUriPrefix: draft.policy.artifactUriPrefix,
  };
  const items = request.results.map((result): ItemReply => {
    const judgement: Judgement = judgeResult(result, rules);
    if (judgement.status !== 201) return { ...judgement, episodeResultId: null };
    storedTaskIds.add(result.taskId);
    stored.push(result);
    return { ...judgement, episodeResultId: resultId(draft, request.evalRunId, result.taskId) };
  });
  if (stored.length > 0) draft.setLedger(request.evalRunId, { ...ledger, taskIds: storedTaskIds });
  return items;
}

function store(
  draft: Draft,
  request: Request,
  held: HeldRun,
  stored: readonly EpisodeResult[],
): void {
  const { nowMs } = draft;
  const { evalRunId } = request;
  const leaseUntil = draft.state.deadlines.promise(evalRunId, nowMs, 'progress');
  recordSign(draft, held.run, leaseUntil, [
    { type: 'RESULTS_STORED', at: nowMs, leaseUntil, added: tallyOf(stored) },
  ]);
  for (const result of stored) {
    draft.operation('episode_result', {
      eval_run_id: evalRunId,
      task_id: result.taskId,
      episode_result_id: resultId(draft, evalRunId, result.taskId),
      family: result.family,
      outcome: result.outcome,
      verdict_correct: result.verdictCorrect,
      verdict_checks: result.verdictChecks,
      reward_components: result.rewardComponents,
      reward_micro: result.rewardMicro,
      wall_seconds: result.wallSeconds,
      terminal_state_hash: result.terminalStateHash,
      ledger_uri: result.ledgerUri,
      step_count: result.stepCount,
    });
  }
}

/** Of the natural key, so that no way of sending a result makes a second id for it. */
function resultId(draft: Draft, evalRunId: string, taskId: string): string {
  return draft.derivedId(`${evalRunId}:result:${taskId}`);
}
