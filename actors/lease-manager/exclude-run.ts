import type { RunState } from '../../machines/evaluation-run/machine.ts';
import type { ExclusionReason, ToldReason } from '../../machines/reasons/codes.ts';
import type { Draft } from './draft.ts';
import { rescore } from './end-run.ts';
import { followBans } from './follow-bans.ts';
import { takeOut } from './validator-ban.ts';

/** Takes a success out of its score, which opens the work again when it falls below. */
export function excludeRun(
  draft: Draft,
  run: RunState,
  reason: ExclusionReason | ToldReason,
): void {
  const { agentVersionId, workItemId } = run.context;
  draft.requireRunning(run.context);
  const item = draft.item(agentVersionId, workItemId);
  takeOut(draft, run.context, reason);
  if (item.value === 'closed') settleReopened(draft, agentVersionId, workItemId);
  rescore(draft, agentVersionId, workItemId);
}

/** While it was closed, nobody told the work what became of its version, and of bans. */
function settleReopened(draft: Draft, agentVersionId: string, workItemId: string): void {
  if (draft.aggregate(agentVersionId)?.version.state.value === 'discarded') {
    const reason = 'VERSION_DISCARDED';
    draft.recordItem(agentVersionId, workItemId, [
      { type: 'WORK_CANCELLED', at: draft.nowMs, reason },
    ]);
  } else {
    followBans(draft, agentVersionId, workItemId);
  }
}
