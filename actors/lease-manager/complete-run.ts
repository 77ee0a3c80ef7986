import { decideRunEnd } from '../../machines/agent-version/decide.ts';
import {
  decideCompletion,
  type Outcome,
  runNotFound,
} from '../../machines/evaluation-run/decide.ts';
import type { Completion, RunFact } from '../../machines/evaluation-run/facts.ts';
import { isLive, type RunState } from '../../machines/evaluation-run/machine.ts';
import { Fault } from '../../machines/fault.ts';
import type { DiscardReason, ExclusionReason, ToldReason } from '../../machines/reasons/codes.ts';
import type { FaultClass } from '../../machines/types.ts';
import { decideInclusion, exclusionOfSuccess } from '../../machines/work-item/decide.ts';
import { type Answer, accepted, refused } from './answer.ts';
import { completionDigest } from './completion-digest.ts';
import { discardVersion, shortenCooldown } from './discard-version.ts';
import type { Draft } from './draft.ts';
import { eligibleAt, publishEligible } from './eligibility.ts';
import { closeWork, freeInVain, freeSlot, publishEnd, rescore } from './end-run.ts';
import type { EvalReply, EvalRequest } from './messages.ts';
import { leaseUntil, unmarkedEnd } from './own-run.ts';
import { settleVerdict } from './rejudge-runs.ts';

type Request = EvalRequest<'complete-run'>;
type Ended = Exclude<Outcome, { readonly kind: 'replay' }>;

/** Ends the caller's run once; an equal repeat gets the first answer again. */
export function completeRun(draft: Draft, request: Request): Answer {
  const run = draft.run(request.agentVersionId, request.evalRunId);
  if (run === undefined) return refused(runNotFound());
  const digest = draft.derivedId(completionDigest(request));
  const outcome = decideCompletion(
    run,
    { ...request, digest, hadToken: request.hadToken ?? request.inferenceTokenWasNull !== true },
    {
      endedAs: unmarkedEnd(draft, run),
      policy: draft.policy,
      missingTaskIds: missingTaskIds(draft, run),
    },
  );
  if (outcome instanceof Fault) return refused(outcome);
  if (outcome.kind === 'replay') return accepted(outcome.reply);
  draft.requireRunning(run.context);
  draft.requireUnbanned(request.validatorHotkey);
  const settlement = { request, outcome, digest };
  const reply =
    run.context.rejudges === null
      ? settle(draft, run, settlement)
      : settleJudging(draft, run, settlement);
  return accepted(reply, leaseUntil(draft, run));
}

/** Roster tasks without a stored result; of a run that has ended nobody asks, and its ledger is not in memory. */
function missingTaskIds(draft: Draft, run: RunState): string[] {
  if (!isLive(run)) return [];
  const ledger = draft.ledger(run.context.evalRunId);
  const { families } = draft.state.roster(run.context);
  return [...families.keys()].filter((taskId) => !ledger.taskIds.has(taskId));
}

interface Settlement {
  readonly request: Request;
  readonly outcome: Ended;
  readonly digest: string;
}

/**
 * Work item and version first: the answer tells of them, and the run keeps the answer. Nothing is
 * visible before all of it is.
 */
function settle(draft: Draft, run: RunState, { request, outcome, digest }: Settlement) {
  const { agentVersionId, workItemId, evalRunId } = run.context;
  const exclusionReason = settleWork(draft, run, outcome);
  const wasEligible = eligibleAt(draft, agentVersionId) !== null;
  rescore(draft, agentVersionId, workItemId);
  const faultClass = outcome.kind === 'success' ? null : outcome.faultClass;
  const discardReason = blameVersion(draft, agentVersionId, faultClass);
  if (discardReason !== undefined) discardVersion(draft, agentVersionId);
  if (discardReason === 'AGENT_FAILURES') shortenCooldown(draft, agentVersionId);
  const becameEligible = !wasEligible && eligibleAt(draft, agentVersionId) !== null;

  const reply = answer(draft, run, { outcome, becameEligible });
  const completion = { digest, reply };
  draft.recordRun(agentVersionId, evalRunId, [
    endFact(draft, outcome, { completion, exclusionReason }),
  ]);
  storeCompletion(draft, request);
  publishEnd(draft, run.context);
  if (becameEligible) publishEligible(draft, agentVersionId);
  closeWork(draft, run);
  return reply;
}

/** A run that judges another again ends for its work alone. */
function settleJudging(draft: Draft, run: RunState, { request, outcome, digest }: Settlement) {
  const { agentVersionId, evalRunId } = run.context;
  const exclusionReason = settleVerdict(draft, run, outcome);
  const reply = answer(draft, run, { outcome, becameEligible: false });
  const completion = { digest, reply };
  draft.recordRun(agentVersionId, evalRunId, [
    endFact(draft, outcome, { completion, exclusionReason }),
  ]);
  storeCompletion(draft, request);
  publishEnd(draft, run.context);
  return reply;
}

/** Counts the success or frees the slot; says why a success does not count. */
function settleWork(draft: Draft, run: RunState, outcome: Ended): ExclusionReason | undefined {
  const { agentVersionId, workItemId, evalRunId, validatorHotkey } = run.context;
  if (outcome.kind === 'failure') {
    freeInVain(draft, run, outcome);
    return undefined;
  }
  const item = draft.item(agentVersionId, workItemId);
  const success = { ...outcome, evalRunId, validatorHotkey };
  const reason = exclusionOfSuccess(item, success);
  if (reason === undefined) {
    draft.recordItem(agentVersionId, workItemId, decideInclusion(item, success, draft.nowMs));
  } else if (outcome.isPartial) {
    freeInVain(draft, run, outcome);
  } else {
    freeSlot(draft, run.context, { isTrouble: false });
  }
  return reason;
}

/** Counts the fault; the reason when the version is to be discarded. */
function blameVersion(
  draft: Draft,
  agentVersionId: string,
  faultClass: FaultClass | null,
): DiscardReason | ToldReason | undefined {
  const version = draft.aggregate(agentVersionId)?.version.state;
  if (version === undefined) return undefined;
  const { agentFailureLimit } = draft.policy;
  const facts = decideRunEnd(version, { faultClass, nowMs: draft.nowMs, agentFailureLimit });
  draft.recordVersion(agentVersionId, facts);
  const discarded = facts.find((fact) => fact.type === 'DISCARDED');
  return discarded?.type === 'DISCARDED' ? discarded.reason : undefined;
}

function answer(
  draft: Draft,
  run: RunState,
  { outcome, becameEligible }: { outcome: Ended; becameEligible: boolean },
): EvalReply<'complete-run'> {
  const { agentVersionId, workItemId, evalRunId, phase, rejudges } = run.context;
  const own = draft.item(agentVersionId, workItemId);
  // Who judges again is told how the judged work stands, which the verdict does not change yet.
  const { value, context } =
    rejudges === null
      ? own
      : draft.item(agentVersionId, own.context.rejudges?.workItemId ?? workItemId);
  const mean = draft.aggregate(agentVersionId)?.version.state.context.scores.mean ?? null;
  return {
    evalRunId,
    status: outcome.kind === 'success' ? 'SUCCESS' : outcome.status,
    includedSuccessCount: context.included.length,
    requiredSuccesses: context.requiredSuccesses,
    isClosed: value !== 'open',
    becameEligible,
    // The score of a race stays unsaid until the race is over.
    finalScore: phase === 'RACE' ? null : mean,
  };
}

function endFact(
  draft: Draft,
  outcome: Ended,
  end: { readonly completion: Completion; readonly exclusionReason: ExclusionReason | undefined },
): RunFact {
  const at = draft.nowMs;
  const { completion, exclusionReason } = end;
  if (outcome.kind === 'success') {
    const { scoreMicro } = outcome;
    const inclusion = {
      isIncluded: exclusionReason === undefined,
      exclusionReason: exclusionReason ?? null,
    };
    return { type: 'SUCCEEDED', at, scoreMicro, ...inclusion, completion };
  }
  const type = outcome.status === 'TIMED_OUT' ? 'RUN_TIMED_OUT' : 'FAILED';
  return { type, at, faultClass: outcome.faultClass, completion };
}

function storeCompletion(draft: Draft, request: Request): void {
  draft.operation('run_completion', {
    eval_run_id: request.evalRunId,
    failure_reason: request.failureReason,
    score_components: request.scoreComponents,
    sandbox_metadata: request.sandboxMetadata,
    results_s3_key: request.resultsS3Key,
  });
}
