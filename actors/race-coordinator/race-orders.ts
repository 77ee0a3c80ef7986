import { Fault } from '../../machines/fault.ts';
import type { RaceState } from '../../machines/race/machine.ts';
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
  return ordered(draft, raceId, (race) => cancelRace(draft, race, reason));
}

function ordered(draft: Draft, raceId: string, carryOut: (race: RaceState) => void): Reply {
  const race = draft.race(raceId);
  if (race === undefined) return refused(new Fault('RACE_NOT_FOUND', 'there is no such race'));
  if (!isUnfinished(race)) return refused(new Fault('RACE_OVER', 'this race is over'));
  carryOut(race);
  return standsAt(draft.race(raceId) ?? race);
}
