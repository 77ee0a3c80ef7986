import { isLive } from '../../machines/evaluation-run/machine.ts';
import { type Answer, accepted } from './answer.ts';
import type { Draft } from './draft.ts';
import { endRun, excludeRun } from './end-run.ts';

/**
 * A banned validator loses its live runs and its say in work that is still open; a banned miner's
 * work waits. Closed work stands: a later ban does not rewrite it.
 */
export function banHotkey(draft: Draft, hotkey: string): Answer {
  const { orders } = draft.state;
  if (orders !== undefined && !orders.bannedHotkeys.has(hotkey)) return accepted({});
  for (const [workItemId, versionId] of [...draft.state.openItems.entries()]) {
    for (const { state: run } of [...(draft.aggregate(versionId)?.runs.values() ?? [])]) {
      if (run.context.workItemId !== workItemId || run.context.validatorHotkey !== hotkey) continue;
      const cancelled = { type: 'CANCELLED', at: draft.nowMs, reason: 'VALIDATOR_BANNED' } as const;
      if (isLive(run)) endRun(draft, run.context, cancelled, { isTrouble: false });
      else if (run.context.isIncluded) excludeRun(draft, run, 'VALIDATOR_BANNED');
    }
    setMinerBan(draft, { versionId, workItemId, hotkey }, true);
  }
  return accepted({});
}

export function unbanHotkey(draft: Draft, hotkey: string): Answer {
  if (draft.state.orders?.bannedHotkeys.has(hotkey) === true) return accepted({});
  for (const [workItemId, versionId] of [...draft.state.openItems.entries()]) {
    setMinerBan(draft, { versionId, workItemId, hotkey }, false);
  }
  return accepted({});
}

function setMinerBan(
  draft: Draft,
  { versionId, workItemId, hotkey }: Record<'versionId' | 'workItemId' | 'hotkey', string>,
  isBanned: boolean,
): void {
  const { minerHotkey, isMinerBanned } = draft.item(versionId, workItemId).context;
  if (minerHotkey !== hotkey || isMinerBanned === isBanned) return;
  draft.recordItem(versionId, workItemId, [{ type: isBanned ? 'MINER_BANNED' : 'MINER_UNBANNED' }]);
}
