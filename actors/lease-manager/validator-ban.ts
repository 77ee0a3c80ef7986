import type { RunState } from '../../machines/evaluation-run/machine.ts';
import type { ExclusionReason, ToldReason } from '../../machines/reasons/codes.ts';
import { decideExclusion } from '../../machines/work-item/decide.ts';
import type { Draft } from './draft.ts';

/** As the tables have it: the news of a ban may still be on its way, and that of its end. */
export function isBanned(draft: Draft, hotkey: string): boolean {
  return draft.state.orders?.bannedHotkeys.has(hotkey) === true;
}

/** Takes a success out of its work, and opens the work where it was closed. */
export function takeOut(
  draft: Draft,
  { agentVersionId, workItemId, evalRunId }: RunState['context'],
  reason: ExclusionReason | ToldReason,
): void {
  draft.recordRun(agentVersionId, evalRunId, [{ type: 'EXCLUDED', reason }]);
  const item = draft.item(agentVersionId, workItemId);
  draft.recordItem(agentVersionId, workItemId, decideExclusion(item, evalRunId, reason));
}

/** Of work that has just opened again: what stood while it was done does not count in what is done anew. */
export function followValidatorBans(draft: Draft, versionId: string, workItemId: string): void {
  for (const { evalRunId, validatorHotkey } of draft.item(versionId, workItemId).context.included) {
    const run = draft.run(versionId, evalRunId);
    if (run === undefined || !isBanned(draft, validatorHotkey)) continue;
    takeOut(draft, run.context, 'VALIDATOR_BANNED');
  }
}
