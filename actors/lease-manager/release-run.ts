import { Fault } from '../../machines/fault.ts';
import { type Answer, accepted, refused } from './answer.ts';
import type { Draft } from './draft.ts';
import { endRun } from './end-run.ts';
import type { EvalReply, EvalRequest } from './messages.ts';
import { heldRun } from './own-run.ts';

const reply: EvalReply<'release-run'> = { released: true };

/** Gives a live run back; nobody is blamed, and the work is offered to this validator last. */
export function releaseRun(draft: Draft, request: EvalRequest<'release-run'>): Answer {
  const held = heldRun(draft, request);
  if (held instanceof Fault) return wasReleased(draft, request) ? accepted(reply) : refused(held);
  endRun(
    draft,
    held.run.context,
    { type: 'CANCELLED', at: draft.nowMs, reason: 'RELEASED' },
    { isTrouble: false, hadInVain: request.validatorHotkey },
  );
  return accepted(reply, held.leaseUntilMs);
}

function wasReleased(draft: Draft, request: EvalRequest<'release-run'>): boolean {
  const context = draft.run(request.agentVersionId, request.evalRunId)?.context;
  return context?.endReason === 'RELEASED' && context.validatorHotkey === request.validatorHotkey;
}
