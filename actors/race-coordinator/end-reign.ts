import { type Draft, instant } from './draft.ts';

/**
 * Closes the reign of a top that is discarded, banned or of a suite that is not active. Every read
 * takes such a reign for ended already; this says so for good, whatever is taken back later.
 */
export function endFallenReign(draft: Draft): void {
  const { reign } = draft.grounds;
  if (reign === null || reign.endReason === 'OUTRANKED' || !draft.mayEndReign(reign)) return;
  const { topId, suiteId, agentVersionId, minerHotkey, endReason } = reign;
  draft.settleReign();
  draft.operation('reign_ended', [
    {
      top_id: topId,
      agent_version_id: agentVersionId,
      miner_hotkey: minerHotkey,
      ended_at: instant(draft.nowMs),
      end_reason: endReason,
    },
  ]);
  draft.publish('top-changed', `end:${topId}`, {
    ...{ suiteId, raceId: null, agentVersionId: null, minerHotkey: null, score: null },
    reason: endReason,
  });
}
