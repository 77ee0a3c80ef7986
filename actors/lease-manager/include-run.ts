import { isLive, type RunState } from '../../machines/evaluation-run/machine.ts';
import type { ExclusionReason } from '../../machines/reasons/codes.ts';
import { decideInclusion, exclusionOfSuccess } from '../../machines/work-item/decide.ts';
import type { WorkState } from '../../machines/work-item/machine.ts';
import type { Draft } from './draft.ts';
import { eligibleAt, publishEligible } from './eligibility.ts';
import { closeWork, endRun, rescore } from './end-run.ts';
import { isBanned } from './validator-ban.ts';

/** Counts a success that was left out, or says why it still does not count. */
export function includeRun(draft: Draft, run: RunState): void {
  const { agentVersionId, workItemId, evalRunId } = run.context;
  const item = draft.item(agentVersionId, workItemId);
  // Nothing is known of room in work that nobody does any more; a verdict counts when it is applied.
  if (item.value === 'cancelled' || item.context.rejudges !== null) return;
  // Only this reason tells a partial run from a whole one: no other may take its place.
  if (run.context.exclusionReason === 'INCOMPLETE') return;
  const success = successOf(run);
  const obstacle = obstacleTo(draft, run) ?? exclusionOfSuccess(item, success);
  if (obstacle !== undefined) {
    if (run.context.exclusionReason === obstacle) return;
    draft.recordRun(agentVersionId, evalRunId, [{ type: 'EXCLUDED', reason: obstacle }]);
    return;
  }
  const wasEligible = eligibleAt(draft, agentVersionId) !== null;
  makeRoom(draft, item, run);
  draft.recordRun(agentVersionId, evalRunId, [{ type: 'INCLUDED' }]);
  draft.recordItem(
    agentVersionId,
    workItemId,
    decideInclusion(draft.item(agentVersionId, workItemId), success, draft.nowMs),
  );
  rescore(draft, agentVersionId, workItemId);
  if (!wasEligible && eligibleAt(draft, agentVersionId) !== null) {
    publishEligible(draft, agentVersionId);
  }
  closeWork(draft, run);
}

function successOf({ context }: RunState) {
  const { evalRunId, validatorHotkey, scoreMicro } = context;
  if (scoreMicro === null) throw new Error(`success ${evalRunId} has no score`);
  return { evalRunId, validatorHotkey, scoreMicro, isPartial: false };
}

function obstacleTo(draft: Draft, { context }: RunState): ExclusionReason | undefined {
  return isBanned(draft, context.validatorHotkey) ? 'VALIDATOR_BANNED' : undefined;
}

/** The slot may be taken: its validator's own second run goes first, then the youngest. */
function makeRoom(draft: Draft, { context }: WorkState, run: RunState): void {
  const { agentVersionId, requiredSuccesses, included } = context;
  const live = context.live
    .flatMap(({ evalRunId }) => draft.run(agentVersionId, evalRunId) ?? [])
    .filter(isLive);
  const isOwn = (other: RunState) =>
    other.context.validatorHotkey === run.context.validatorHotkey ? 1 : 0;
  live.sort(
    (left, right) => isOwn(right) - isOwn(left) || right.context.fence - left.context.fence,
  );
  const surplus = live.length + included.length + 1 - requiredSuccesses;
  live.forEach((other, index) => {
    if (index >= surplus && isOwn(other) === 0) return;
    const cancelled = { type: 'CANCELLED', at: draft.nowMs, reason: 'RUN_INCLUDED' } as const;
    endRun(draft, other.context, cancelled, { isTrouble: false });
  });
}
