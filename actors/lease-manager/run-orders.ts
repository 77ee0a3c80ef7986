import type { z } from 'zod';
import { runNotFound } from '../../machines/evaluation-run/decide.ts';
import { isLive, type RunState, runStatus } from '../../machines/evaluation-run/machine.ts';
import { Fault, type FaultCode } from '../../machines/fault.ts';
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
  return change(draft, order, (run) => {
    const obstacle = unlessSuccess(run);
    if (obstacle === undefined && run.context.isIncluded) excludeRun(draft, run, order.reason);
    return obstacle;
  });
}

/** An operator wants a success to count; it does where there is room for it, else it says why not. */
export function orderInclusion(draft: Draft, order: RunRef): Answer {
  return change(draft, order, (run) => {
    const obstacle = unlessSuccess(run);
    if (obstacle !== undefined || run.context.isIncluded) return obstacle;
    const item = draft.item(run.context.agentVersionId, run.context.workItemId);
    if (item.value === 'cancelled')
      return impossible(run, 'RUN_NOT_INCLUDABLE', 'its work was cancelled');
    if (item.context.rejudges !== null) {
      return impossible(run, 'RUN_NOT_INCLUDABLE', 'it counts when its rejudging is applied');
    }
    includeRun(draft, run);
    return undefined;
  });
}

/** Ends a live run at once; its validator is offered the same work last. */
export function reclaimRun(draft: Draft, order: RunRef): Answer {
  return change(draft, order, (run) => {
    if (run.value === 'stale') return undefined;
    if (!isLive(run)) return impossible(run, 'RUN_NOT_LIVE', 'the run has ended');
    const { validatorHotkey: releasedBy } = run.context;
    const staled = { type: 'STALED', at: draft.nowMs, reason: 'RECLAIMED' } as const;
    endRun(draft, run.context, staled, { isTrouble: false, releasedBy });
    return undefined;
  });
}

/** Orders may be repeated: what is so already stays so. What cannot be so is refused. */
function change(
  draft: Draft,
  { agentVersionId, evalRunId }: RunRef,
  act: (run: RunState) => Fault | undefined,
): Answer {
  const run = draft.run(agentVersionId, evalRunId);
  if (run === undefined) return refused(runNotFound());
  if (draft.state.isRaceOver(run.context)) {
    return refused(new Fault('RACE_OVER', 'the race of this run is over'));
  }
  draft.requireRunning(run.context);
  const obstacle = act(run);
  if (obstacle !== undefined) return refused(obstacle);
  return accepted(replyOf(draft.run(agentVersionId, evalRunId) ?? run));
}

/** Only a success counts or is left out; what a live run will be nobody knows. */
function unlessSuccess(run: RunState): Fault | undefined {
  if (isLive(run)) return impossible(run, 'RUN_STILL_LIVE', 'the run has not ended yet');
  if (run.value === 'success') return undefined;
  return impossible(run, 'RUN_NOT_SUCCESSFUL', 'only a success counts');
}

function impossible(run: RunState, code: FaultCode, detail: string): Fault {
  return new Fault(code, detail, { run_status: runStatus(run) });
}

function replyOf(run: RunState): RunOrderReply {
  const { evalRunId, isIncluded, exclusionReason } = run.context;
  return { evalRunId, status: runStatus(run), isIncluded, exclusionReason };
}
