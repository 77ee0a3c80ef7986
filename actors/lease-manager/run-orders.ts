import type { z } from 'zod';
import { runNotFound } from '../../machines/evaluation-run/decide.ts';
import { isLive, type RunState, runStatus } from '../../machines/evaluation-run/machine.ts';
import { obstacleTo, type RunOrder } from '../../machines/evaluation-run/run-order.ts';
import { asTold } from '../../machines/reasons/codes.ts';
import { refusal } from '../../machines/refusal.ts';
import { countedInPlaceOf, type PlacedRun } from '../../machines/work-item/rejudging.ts';
import { type Answer, accepted, refused } from './answer.ts';
import type { Draft } from './draft.ts';
import { endRun } from './end-run.ts';
import { excludeRun } from './exclude-run.ts';
import { includeRun } from './include-run.ts';
import type { evalMessages, RunOrderReply } from './messages.ts';

interface RunRef {
  readonly agentVersionId: string;
  readonly evalRunId: string;
}

/** An operator takes a success out of its score, for now. */
export function orderExclusion(
  draft: Draft,
  order: z.infer<(typeof evalMessages)['exclude-run']>,
): Answer {
  return change(draft, order, 'exclude-run', (run) => {
    if (run.context.isIncluded) excludeRun(draft, run, asTold(order.reason));
  });
}

/** An operator wants a success to count; it does where there is room for it, else it says why not. */
export function orderInclusion(draft: Draft, order: RunRef): Answer {
  return change(draft, order, 'include-run', (run) => {
    if (!run.context.isIncluded) includeRun(draft, run);
  });
}

/** Ends a live run at once; its validator is offered the same work last. */
export function reclaimRun(draft: Draft, order: RunRef): Answer {
  return change(draft, order, 'reclaim-run', (run) => {
    if (!isLive(run)) return;
    const { validatorHotkey: hadInVain } = run.context;
    const staled = { type: 'STALED', at: draft.nowMs, reason: 'RECLAIMED' } as const;
    endRun(draft, run.context, staled, { isTrouble: false, hadInVain });
  });
}

/** Orders may be repeated: what is so already stays so. What cannot be so is refused. */
function change(
  draft: Draft,
  { agentVersionId, evalRunId }: RunRef,
  order: RunOrder,
  act: (run: RunState) => void,
): Answer {
  const run = draft.run(agentVersionId, evalRunId);
  if (run === undefined) return refused(runNotFound());
  if (draft.state.isRaceOver(run.context)) {
    return refused(refusal('RACE_OVER', { says: 'The race of this run is over.' }));
  }
  draft.requireRunning(run.context);
  const { workItemId, isIncluded } = run.context;
  const item = draft.item(agentVersionId, workItemId);
  const obstacle = obstacleTo(order, {
    status: runStatus(run),
    isIncluded,
    isWorkCancelled: item.value === 'cancelled',
    isRejudging: item.context.rejudges !== null,
    countedInPlace: countedInPlaceOf(evalRunId, runsOfWork(draft, run)),
  });
  if (obstacle !== undefined) return refused(obstacle);
  act(run);
  return accepted(replyOf(draft.run(agentVersionId, evalRunId) ?? run));
}

function runsOfWork(draft: Draft, { context }: RunState): PlacedRun[] {
  const runs = draft.aggregate(context.agentVersionId)?.runs.values() ?? [];
  return [...runs]
    .map(({ state }) => state.context)
    .filter(({ workItemId }) => workItemId === context.workItemId)
    .map(({ evalRunId, isIncluded, rejudges }) => {
      return { evalRunId, isIncluded, judgedRunId: rejudges?.evalRunId ?? null };
    });
}

function replyOf(run: RunState): RunOrderReply {
  const { evalRunId, isIncluded, exclusionReason } = run.context;
  return { evalRunId, status: runStatus(run), isIncluded, exclusionReason };
}
