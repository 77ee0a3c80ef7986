import type { RaceState } from '../../machines/race/machine.ts';
import { asTold } from '../../machines/reasons/codes.ts';
import { refusal } from '../../machines/refusal.ts';
import type { Reply } from '../runtime/partition-actor.ts';
import { refused, standsAt } from './answer.ts';
import { cancelRace } from './cancel-race.ts';
import { closeQualifying } from './close-race.ts';
import { type Draft, isUnfinished } from './draft.ts';
import { startRace } from './start-race.ts';

/** By an operator: what the clock would do later. Done already is as good as done. */
export function orderClose(draft: Draft, raceId: string): Reply {
  return ordered(draft, raceId, () => closeQualifying(draft, raceId));
}

/** A race whose qualifying is still open is closed first. */
export function orderStart(draft: Draft, raceId: string): Reply {
  return ordered(draft, raceId, () => {
    closeQualifying(draft, raceId);
    startRace(draft, raceId);
  });
}

export function orderCancel(draft: Draft, raceId: string, reason: string): Reply {
  return ordered(draft, raceId, (race) => cancelRace(draft, race, asTold(reason)));
}

function ordered(draft: Draft, raceId: string, carryOut: (race: RaceState) => void): Reply {
  const race = draft.race(raceId);
  if (race === undefined) return refused(refusal('RACE_NOT_FOUND'));
  if (!isUnfinished(race)) return refused(refusal('RACE_OVER'));
  carryOut(race);
  return standsAt(draft.race(raceId) ?? race);
}
