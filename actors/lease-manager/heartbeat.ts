import type { RunState } from '../../machines/evaluation-run/machine.ts';
import { Fault } from '../../machines/fault.ts';
import { type Answer, accepted, refused } from './answer.ts';
import type { Draft } from './draft.ts';
import type { EvalReply, EvalRequest } from './messages.ts';
import { heldRun } from './own-run.ts';
import type { PartitionState } from './partition-state.ts';
import { recordSign } from './sign-of-life.ts';
import { tellable } from './tellable.ts';

/** The first heartbeat is durable, since it makes the run a running one. */
export function heartbeat(draft: Draft, beat: EvalRequest<'heartbeat'>): Answer {
  const held = heldRun(draft, beat);
  if (held instanceof Fault) return refused(held);
  const leaseExpiresAt = draft.state.deadlines.promise(beat.evalRunId, draft.nowMs, 'beat');
  if (recordSign(draft, held.run, leaseExpiresAt, [])) {
    return accepted({ leaseExpiresAt } satisfies EvalReply<'heartbeat'>, held.leaseUntilMs);
  }
  return accepted(beatInMemory(draft.state, held.run, draft.nowMs));
}

/** Later ones move a deadline in memory; undefined when a decision is needed. */
export function heartbeatFromMemory(
  state: PartitionState,
  beat: EvalRequest<'heartbeat'>,
  nowMs: number,
): EvalReply<'heartbeat'> | undefined {
  const { agentVersionId, evalRunId, validatorHotkey } = beat;
  const run = state.aggregates.committed(agentVersionId)?.runs.get(evalRunId)?.state;
  if (run?.value !== 'running') return undefined;
  if (run.context.validatorHotkey !== validatorHotkey) return undefined;
  // A batch in flight is about to end it: the answer is the batch's.
  if (state.liveRuns.get(evalRunId) === undefined) return undefined;
  if (state.deadlines.isOver(evalRunId, nowMs) || state.isRaceOver(run.context)) return undefined;
  return beatInMemory(state, run, nowMs);
}

function beatInMemory(state: PartitionState, run: RunState, nowMs: number): EvalReply<'heartbeat'> {
  const keptMs = state.deadlines.beat(run.context.evalRunId, nowMs);
  return { leaseExpiresAt: tellable(state, run, { keptMs, nowMs }) };
}
