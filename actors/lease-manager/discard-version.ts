import type { Draft } from './draft.ts';
import { cancelWork } from './end-run.ts';
import { instant } from './read-rows.ts';

/** Follows up a discard: nobody evaluates the version any more, and it reigns no more. */
export function discardVersion(draft: Draft, agentVersionId: string): void {
  cancelWork(draft, agentVersionId, 'VERSION_DISCARDED');
  const context = draft.aggregate(agentVersionId)?.version.state.context;
  if (context === undefined) return;
  const told = { agentVersionId, atMs: draft.nowMs };
  draft.tellRaces(context.suiteId, 'version-discarded', told);
}

/**
 * Three faults of the agent's own free the miner sooner, so that it may mend them; a breach of
 * integrity earns nothing.
 */
export function shortenCooldown(draft: Draft, agentVersionId: string): void {
  const context = draft.aggregate(agentVersionId)?.version.state.context;
  if (context === undefined) return;
  draft.operation('shorten_cooldown', {
    miner_hotkey: context.minerHotkey,
    until: instant(draft.nowMs + draft.policy.discardCooldownMs),
  });
}
