import { decideClose } from '../../machines/race/decide.ts';
import type { RaceState } from '../../machines/race/machine.ts';
import { type Field, selectField } from '../../machines/race/select-field.ts';
import { cancelIfSuiteSwitched, writeCancellation } from './cancel-race.ts';
import { type Draft, holdOf, instant } from './draft.ts';

/** Fixes who races: what the rules make of the candidates as they stand at the commit. */
export function closeQualifying(draft: Draft, raceId: string): void {
  const race = draft.race(raceId);
  if (race?.value !== 'qualifyingOpen') return;
  if (cancelIfSuiteSwitched(draft, race)) return;
  const candidates = draft.grounds.fields.get(raceId);
  if (candidates === undefined) return;
  const { suiteId, policy } = race.context;
  const { qualifyingThreshold } = policy;
  const field = selectField(candidates.value, { suiteId, qualifyingThreshold });
  draft.hold({ ...holdOf(draft, race), field_md5: candidates.md5 });
  const closed = draft.record(raceId, suiteId, decideClose(race, field.entrants, draft.nowMs));
  write(draft, closed, field);
  if (closed.value === 'raceCancelled') writeCancellation(draft, closed);
}

function write(draft: Draft, { context }: RaceState, { entrants, fallbacks }: Field): void {
  const { raceId, suiteId, raceNumber } = context;
  const qualifierCount = entrants.length;
  draft.operation('race_closed', [
    { race_id: raceId, closed_at: instant(draft.nowMs), qualifier_count: qualifierCount },
  ]);
  draft.operation(
    'race_entrant',
    entrants.map((entrant) => ({
      race_id: raceId,
      agent_version_id: entrant.agentVersionId,
      miner_hotkey: entrant.minerHotkey,
      qualification_type: entrant.qualificationType,
      qualifying_score: entrant.qualifyingScore,
    })),
  );
  draft.operation(
    'race_fallback',
    fallbacks.map(({ agentVersionId, minerHotkey, reason }) => ({
      race_id: raceId,
      agent_version_id: agentVersionId,
      miner_hotkey: minerHotkey,
      reason,
    })),
  );
  draft.publish('race-closed', raceId, { raceId, suiteId, raceNumber, qualifierCount });
}
