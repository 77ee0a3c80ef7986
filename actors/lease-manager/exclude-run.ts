import type { RunState } from '../../machines/evaluation-run/machine.ts';
import type { ExclusionReason, ToldReason } from '../../machines/reasons/codes.ts';
import { decideExclusion } from '../../machines/work-item/decide.ts';
import type { Draft } from './draft.ts';
import { rescore } from './end-run.ts';
import { followMinerBan } from './miner-ban.ts';

/** Takes a success out of its score, which opens the work again when it falls below. */
export function excludeRun(
  draft: Draft,
  run: RunState,
  reason: ExclusionReason | ToldReason,
): void {
  const { agentVersionId, workItemId, evalRunId } = run.context;
  draft.requireRunning(run.context);
  draft.recordRun(agentVersionId, evalRunId, [{ type: 'EXCLUDED', reason }]);
  const item = draft.item(agentVersionId, workItemId);
  draft.recordItem(agentVersionId, workItemId, decideExclusion(item, evalRunId, reason));
  if (item.value === 'closed') settleReopened(draft, agentVersionId, workItemId);
  rescore(draft, agentVersionId, workItemId);
}

/** While it was closed, nobody told the work what became of its version and its miner. */
function settleReopened(draft: Draft, agentVersionId: string, workItemId: string): void {
  if (draft.aggregate(agentVersionId)?.version.state.value === 'discarded') {
    const reason = 'VERSION_DISCARDED';
    draft.recordItem(agentVersionId, workItemId, [
      { type: 'WORK_CANCELLED', at: draft.nowMs, reason },
    ]);
  } else {
    followMinerBan(draft, agentVersionId, workItemId);
  }
}
