import type { Draft } from './draft.ts';

/** Open work of a banned miner waits. */
export function setMinerBan(draft: Draft, { versionId, workItemId, isBanned }: MinerBan): void {
  if (draft.item(versionId, workItemId).context.isMinerBanned === isBanned) return;
  draft.recordItem(versionId, workItemId, [{ type: isBanned ? 'MINER_BANNED' : 'MINER_UNBANNED' }]);
}

interface MinerBan {
  readonly versionId: string;
  readonly workItemId: string;
  readonly isBanned: boolean;
}

/** For work that has just opened: bans and their ends are told to open work only. */
export function followMinerBan(draft: Draft, versionId: string, workItemId: string): void {
  const { minerHotkey } = draft.item(versionId, workItemId).context;
  const { orders } = draft.state;
  if (orders === undefined) return;
  setMinerBan(draft, { versionId, workItemId, isBanned: orders.bannedHotkeys.has(minerHotkey) });
}
