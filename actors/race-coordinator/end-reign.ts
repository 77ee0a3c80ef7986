import { isOfEarlierActivation } from '../../machines/suite/activation.ts';
import { type Draft, instant } from './draft.ts';
import type { OpenReign } from './grounds.ts';

/**
 * Closes the reign of a top that is discarded, banned or of a suite that is not active, or was not for
 * a while. What pays and what tells of the top take such a reign for ended already; this says so for good,
 * whatever is taken back later.
 */
export function endFallenReign(draft: Draft): void {
  const { reign } = draft.grounds;
  if (reign === null) return;
  const { endReason, topAtMs, suiteActivatedAtMs } = reign;
  if (endReason !== 'OUTRANKED') end(draft, reign, endReason);
  else if (isOfEarlierActivation(topAtMs, suiteActivatedAtMs, draft.nowMs))
    end(draft, reign, 'SUITE_SWITCHED');
}

/** By news of a discard: it ended the reign that it met, also if it was taken back since. */
export function endDiscardedReign(
  draft: Draft,
  { agentVersionId, atMs }: { readonly agentVersionId: string; readonly atMs: number },
): void {
  const { reign } = draft.grounds;
  if (reign?.agentVersionId !== agentVersionId || atMs < reign.topAtMs) endFallenReign(draft);
  else end(draft, reign, 'DISCARDED');
}

/** The same by news of a ban. */
export function endBannedReign(
  draft: Draft,
  { hotkey, atMs }: { readonly hotkey: string; readonly atMs: number },
): void {
  const { reign } = draft.grounds;
  if (reign?.minerHotkey !== hotkey || atMs < reign.topAtMs) endFallenReign(draft);
  else end(draft, reign, 'BANNED');
}

function end(draft: Draft, reign: OpenReign, reason: OpenReign['endReason']): void {
  if (!draft.mayEndReign(reign)) return;
  const { topId, suiteId, agentVersionId, minerHotkey, endReason, lastRaceAtMs } = reign;
  draft.settleReign();
  draft.operation('reign_ended', [
    {
      top_id: topId,
      agent_version_id: agentVersionId,
      miner_hotkey: minerHotkey,
      // A clock that is behind that of the owner before must not have it end before it was last challenged.
      ended_at: instant(Math.max(draft.nowMs, lastRaceAtMs ?? 0)),
      end_reason: reason,
      is_news: reason !== endReason,
    },
  ]);
  draft.publish('top-changed', `end:${topId}`, {
    ...{ suiteId, raceId: null, agentVersionId: null, minerHotkey: null, score: null },
    reason,
  });
}
