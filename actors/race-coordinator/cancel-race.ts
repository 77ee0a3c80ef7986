import { decideCancel } from '../../machines/race/decide.ts';
import type { RaceState } from '../../machines/race/machine.ts';
import type { RaceCancelReason, ToldReason } from '../../machines/reasons/codes.ts';
import { type Draft, holdOf, instant } from './draft.ts';
import { endFallenReign } from './end-reign.ts';
import { openNextRace } from './open-race.ts';

/** Eliminates and promotes nobody, and releases nothing; the next race opens at once. */
export function cancelRace(
  draft: Draft,
  race: RaceState,
  reason: RaceCancelReason | ToldReason,
): void {
  const { raceId, suiteId } = race.context;
  const facts = decideCancel(race, reason, draft.nowMs);
  if (facts.length === 0) return;
  draft.hold(holdOf(draft, race));
  writeCancellation(draft, draft.record(raceId, suiteId, facts));
}

/** What follows from the fact, in the same commit. */
export function writeCancellation(draft: Draft, { context }: RaceState): void {
  const { raceId, suiteId, raceNumber, startedAt, entrantIds, cancelReason: reason } = context;
  draft.operation('race_cancelled', [
    { race_id: raceId, cancelled_at: instant(draft.nowMs), cancel_reason: reason },
  ]);
  if (startedAt !== null) draft.tellEval('race-ended', entrantIds, { raceId, reason });
  draft.publish('race-cancelled', raceId, { raceId, suiteId, raceNumber, reason });
  openNextRace(draft, suiteId);
}

/**
 * Only the active suite has races. True when this one was cancelled for that. What ends a race ends the
 * reign of before as well: the news of the switch may be late, and the next race is not to measure by it.
 */
export function cancelIfSuiteSwitched(draft: Draft, race: RaceState): boolean {
  if (draft.isOfActiveSuite(race.context)) return false;
  cancelRace(draft, race, 'SUITE_SWITCHED');
  endFallenReign(draft);
  return true;
}
