import { refusal } from '../../machines/refusal.ts';
import { isClaimable } from '../../machines/work-item/decide.ts';
import { hadInVain, type WorkState } from '../../machines/work-item/machine.ts';
import { ledgerOf } from './aggregate.ts';
import { type Answer, accepted, refused } from './answer.ts';
import type { Draft } from './draft.ts';
import type { EvalReply, EvalRequest } from './messages.ts';
import { slotKey } from './partition-state.ts';
import { isPaused } from './pause.ts';
import { instant } from './read-rows.ts';
import { isBarred, rejudgedBy } from './rejudge-runs.ts';

/** Hands out one run of the best work that this validator may do. */
export function claimWork(draft: Draft, claim: EvalRequest<'claim-work'>): Answer {
  // A slot that is taken in another partition is refused by the apply function.
  if (draft.state.heldSlots.has(slotKey(claim))) {
    return refused(refusal('AT_CAPACITY'));
  }
  const item = preferredWork(draft, claim) ?? bestWork(draft, claim);
  const reply: EvalReply<'claim-work'> = {
    run: item === undefined ? null : lease(draft, item, claim),
  };
  return accepted(reply);
}

function preferredWork(draft: Draft, claim: EvalRequest<'claim-work'>): WorkState | undefined {
  for (const itemId of claim.preferred) {
    const item = openItem(draft, itemId);
    if (item !== undefined && isFor(draft, item, claim)) return item;
  }
  return undefined;
}

function bestWork(draft: Draft, claim: EvalRequest<'claim-work'>): WorkState | undefined {
  const order = queueOrder(draft, claim.validatorHotkey);
  let best: WorkState | undefined;
  for (const [itemId] of draft.state.openItems.entries()) {
    const item = openItem(draft, itemId);
    // Runs are judged again by name only: other partitions may have work that comes first.
    if (item === undefined || item.context.rejudges !== null) continue;
    if (!isFor(draft, item, claim)) continue;
    if (best === undefined || order(item, best) < 0) best = item;
  }
  return best;
}

/**
 * Races first, then what this validator had no run of in vain, then what was given out least often of
 * what it had, then as the queue stands.
 */
function queueOrder(draft: Draft, validatorHotkey: string) {
  const rank = ({ context }: WorkState) => [
    context.phase === 'RACE' ? 0 : 1,
    hadInVain(context).includes(validatorHotkey) ? context.nextFence : 0,
    draft.state.queueOrderMs.get(context.workItemId) ?? context.queuedAt,
  ];
  return (left: WorkState, right: WorkState): number => {
    const [a, b] = [rank(left), rank(right)];
    for (const [index, value] of a.entries()) {
      const difference = value - (b[index] ?? 0);
      if (difference !== 0) return difference;
    }
    return left.context.workItemId < right.context.workItemId ? -1 : 1;
  };
}

function isFor(draft: Draft, item: WorkState, claim: EvalRequest<'claim-work'>): boolean {
  const { validatorHotkey } = claim;
  return (
    isClaimable(item, claim, draft.nowMs) &&
    !isBarred(draft, item, validatorHotkey) &&
    !isPaused(draft, item, validatorHotkey)
  );
}

function openItem(draft: Draft, workItemId: string): WorkState | undefined {
  const versionId = draft.state.openItems.get(workItemId);
  if (versionId === undefined) return undefined;
  const item = draft.item(versionId, workItemId);
  return draft.state.isRaceOver(item.context) ? undefined : item;
}

function lease(draft: Draft, item: WorkState, claim: EvalRequest<'claim-work'>) {
  const { agentVersionId, workItemId, suiteId, phase, raceId } = item.context;
  const fence = draft.state.freshFence(item.context);
  const { validatorHotkey, slot } = claim;
  // Before any other id is given out: so `claimedRunId` tells others which run is a command's.
  const evalRunId = draft.newId();
  draft.requireRunning(item.context);
  const leaseUntil = draft.state.deadlines.promiseOfClaim(draft.nowMs);
  const run = { ...runTerms(draft, item), evalRunId, validatorHotkey, slot, fence };
  const rejudges = rejudgedBy(item);

  draft.recordRun(agentVersionId, evalRunId, [
    { type: 'CLAIMED', run, at: draft.nowMs, leaseUntil, ...(rejudges && { rejudges }) },
  ]);
  draft.recordItem(agentVersionId, workItemId, [
    { type: 'LEASED', evalRunId, validatorHotkey, fence },
  ]);
  if (draft.aggregate(agentVersionId)?.version.state.value === 'queued') {
    draft.recordVersion(agentVersionId, [{ type: 'EVALUATION_STARTED' }]);
  }
  draft.setLedger(evalRunId, ledgerOf());
  draft.operation('claim_run', {
    eval_run_id: evalRunId,
    work_item_id: workItemId,
    agent_version_id: agentVersionId,
    suite_id: suiteId,
    phase,
    race_id: raceId,
    execution_kind: run.executionKind,
    env_pack_sha256: run.envPackSha256,
    validator_hotkey: validatorHotkey,
    slot,
    fence,
    expected_items: run.expectedItems,
    claimed_at: instant(draft.nowMs),
    lease_expires_at: instant(leaseUntil),
    rejudging_id: rejudges?.rejudgingId ?? null,
    judged_run_id: rejudges?.evalRunId ?? null,
  });
  const place = { evalRunId, agentVersionId, suiteId, phase, raceId };
  draft.publish('run-claimed', { ...place, validatorHotkey });
  return { ...place, workItemId, fence, leaseExpiresAt: leaseUntil };
}

function runTerms(draft: Draft, { context }: WorkState) {
  const { agentVersionId, workItemId, suiteId, phase, raceId } = context;
  const { executionKind, envPackSha256 } = draft.state.suite(suiteId);
  const expectedItems = draft.state.roster(context).problemIds.size;
  return {
    agentVersionId,
    workItemId,
    suiteId,
    phase,
    raceId,
    executionKind,
    envPackSha256,
    expectedItems,
  };
}
