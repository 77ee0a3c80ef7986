import { decideScores } from '../../machines/agent-version/decide.ts';
import type { Outcome } from '../../machines/evaluation-run/decide.ts';
import type { RunFact } from '../../machines/evaluation-run/facts.ts';
import { isLive, type RunState, runStatus } from '../../machines/evaluation-run/machine.ts';
import type {
  RunCancelReason,
  ToldReason,
  WorkCancelReason,
} from '../../machines/reasons/codes.ts';
import { aggregateScore } from '../../machines/scoring/aggregate.ts';
import { decideLeaseEnd, isTrouble } from '../../machines/work-item/decide.ts';
import type { WorkState } from '../../machines/work-item/machine.ts';
import type { Draft } from './draft.ts';

export interface RunRef {
  readonly agentVersionId: string;
  readonly workItemId: string;
  readonly evalRunId: string;
}

/** `hadInVain` had the run, and is offered the work last from now on. */
interface SlotFlags {
  readonly isTrouble: boolean;
  readonly hadInVain?: string;
}

/** Ends a live run without an included success and frees its slot. */
export function endRun(draft: Draft, ref: RunRef, fact: RunFact, flags: SlotFlags): void {
  draft.recordRun(ref.agentVersionId, ref.evalRunId, [fact]);
  freeSlot(draft, ref, flags);
  publishEnd(draft, ref);
}

export function freeSlot(
  draft: Draft,
  { agentVersionId, workItemId, evalRunId }: RunRef,
  flags: SlotFlags,
): void {
  const item = draft.item(agentVersionId, workItemId);
  const ended = { hadInVain: null, ...flags, evalRunId, nowMs: draft.nowMs };
  draft.recordItem(agentVersionId, workItemId, decideLeaseEnd(item, ended, draft.policy));
}

/** A run was completed and brings its work nothing: its validator is offered the work last. */
export function freeInVain(
  draft: Draft,
  { context }: RunState,
  outcome: Exclude<Outcome, { readonly kind: 'replay' }>,
): void {
  const { validatorHotkey: hadInVain } = context;
  freeSlot(draft, context, { isTrouble: isTrouble(outcome), hadInVain });
}

/** How a race run ended stays unsaid: while the race runs, its results are nobody's business. */
export function publishEnd(draft: Draft, { agentVersionId, evalRunId }: RunRef): void {
  const run = draft.run(agentVersionId, evalRunId);
  if (run === undefined) return;
  const { phase, raceId, suiteId, validatorHotkey } = run.context;
  const status = phase === 'RACE' ? null : runStatus(run);
  draft.publish('run-ended', {
    evalRunId,
    agentVersionId,
    suiteId,
    phase,
    raceId,
    validatorHotkey,
    status,
    ...(phase === 'QUALIFYING' && { scoreMicro: run.context.scoreMicro }),
  });
}

function liveRunsOfItem(draft: Draft, { context }: WorkState): RunState[] {
  const runs = draft.aggregate(context.agentVersionId)?.runs;
  return context.live.flatMap(({ evalRunId }) => {
    const run = runs?.get(evalRunId)?.state;
    return run !== undefined && isLive(run) ? [run] : [];
  });
}

export function cancelLiveRuns(
  draft: Draft,
  item: WorkState,
  reason: RunCancelReason | ToldReason,
): void {
  for (const { context } of liveRunsOfItem(draft, item)) {
    endRun(draft, context, { type: 'CANCELLED', at: draft.nowMs, reason }, { isTrouble: false });
  }
}

/** Cancels the open work of a version that will not be evaluated any more. */
export function cancelWork(draft: Draft, agentVersionId: string, reason: WorkCancelReason): void {
  for (const { state } of [...(draft.aggregate(agentVersionId)?.items.values() ?? [])]) {
    cancelItem(draft, state, reason);
  }
}

export function cancelItem(
  draft: Draft,
  item: WorkState,
  reason: WorkCancelReason | ToldReason,
): void {
  if (item.value !== 'open') return;
  const { agentVersionId, workItemId } = item.context;
  cancelLiveRuns(draft, item, reason);
  const cancelled = { type: 'WORK_CANCELLED', at: draft.nowMs, reason } as const;
  draft.recordItem(agentVersionId, workItemId, [cancelled]);
}

/** Closed work has no use for runs that are still under way. */
export function closeWork(draft: Draft, run: RunState): void {
  const { agentVersionId, workItemId } = run.context;
  const item = draft.item(agentVersionId, workItemId);
  if (item.value === 'closed') cancelLiveRuns(draft, item, 'WORK_CLOSED');
}

/** Scores follow the included runs at once; a version becomes eligible with its first score. */
export function rescore(draft: Draft, agentVersionId: string, workItemId: string): void {
  const version = draft.aggregate(agentVersionId)?.version.state;
  const { value, context } = draft.item(agentVersionId, workItemId);
  if (version === undefined || context.phase !== 'QUALIFYING') return;
  const scores =
    value === 'closed'
      ? aggregateScore(context.included.map(({ scoreMicro }) => scoreMicro))
      : null;
  draft.recordVersion(agentVersionId, decideScores(version, scores, draft.nowMs));
}
