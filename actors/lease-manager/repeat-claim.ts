import { Fault } from '../../machines/fault.ts';
import { refusal } from '../../machines/refusal.ts';
import { type Answer, accepted, refused } from './answer.ts';
import type { Draft } from './draft.ts';
import type { EvalReply, EvalRequest } from './messages.ts';
import { heldRun } from './own-run.ts';
import { tellable } from './tellable.ts';

/**
 * Hands a run out once more that nobody has touched: the first answer may have been lost on its way, and
 * what is left of the first lease may be too little to begin with. It gets the lease of a heartbeat, which
 * every owner keeps although nothing of it is durable; more would be kept than is told.
 */
export function repeatClaim(draft: Draft, claim: EvalRequest<'repeat-claim'>): Answer {
  const held = heldRun(draft, claim);
  if (held instanceof Fault) return refused(held);
  const { run } = held;
  if (run.value !== 'claimed') {
    return refused(refusal('AT_CAPACITY'));
  }
  const { nowMs, state } = draft;
  const keptMs = state.deadlines.beat(claim.evalRunId, nowMs);
  const leaseExpiresAt = tellable(state, run, { keptMs, nowMs });
  return accepted({ leaseExpiresAt } satisfies EvalReply<'repeat-claim'>);
}
