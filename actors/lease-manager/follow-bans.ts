import type { Draft } from './draft.ts';
import { followMinerBan } from './miner-ban.ts';
import { followValidatorBans } from './validator-ban.ts';

/** For work that has opened again: while it was closed or cancelled, nobody told it of bans and their ends. */
export function followBans(draft: Draft, versionId: string, workItemId: string): void {
  followMinerBan(draft, versionId, workItemId);
  followValidatorBans(draft, versionId, workItemId);
}
