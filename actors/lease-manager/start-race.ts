import type { z } from 'zod';
import { refusal } from '../../machines/refusal.ts';
import { type Answer, accepted, refused } from './answer.ts';
import type { Draft } from './draft.ts';
import type { evalMessages } from './messages.ts';
import { followMinerBan } from './miner-ban.ts';

type Start = z.infer<(typeof evalMessages)['race-started']>;

/** Opens the work of one race for its entrants, once each. */
export function startRace(draft: Draft, start: Start): Answer {
  // The news of its end may come first, and finds nothing to cancel.
  const race = { raceId: start.raceId, rejudges: null };
  if (draft.state.isRaceOver(race)) return refused(refusal('RACE_OVER'));
  draft.requireRunning(race);
  for (const agentVersionId of start.agentVersionIds) openWork(draft, start, agentVersionId);
  return accepted({});
}

function openWork(
  draft: Draft,
  { raceId, requiredSuccesses }: Start,
  agentVersionId: string,
): void {
  const entrant = draft.aggregate(agentVersionId);
  if (entrant === undefined) throw new Error(`entrant ${agentVersionId} is unknown here`);
  const workItemId = draft.derivedId(`${agentVersionId}:RACE:${raceId}`);
  if (entrant.items.has(workItemId)) return;
  const { suiteId, minerHotkey, minerColdkey } = entrant.version.state.context;
  const work = {
    workItemId,
    agentVersionId,
    suiteId,
    phase: 'RACE',
    raceId,
    minerHotkey,
    minerColdkey,
    requiredSuccesses,
    queuedAt: draft.nowMs,
  } as const;
  draft.recordItem(agentVersionId, workItemId, [{ type: 'OPENED', work }]);
  if (entrant.version.state.value === 'discarded') {
    // It was discarded between the close and the start; the race counts it among those that ended.
    const reason = 'VERSION_DISCARDED';
    draft.recordItem(agentVersionId, workItemId, [
      { type: 'WORK_CANCELLED', at: draft.nowMs, reason },
    ]);
  } else {
    followMinerBan(draft, agentVersionId, workItemId);
  }
}
