import type { RaceCancelReason, ToldReason } from '../reasons/codes.ts';
import type { RaceResults } from './complete-race.ts';
import type { RaceFact, RaceIdentity } from './facts.ts';
import type { Entrant } from './field.ts';
import type { RaceState } from './machine.ts';
import { type Awaited, heldByOrderUntilMs, heldUntilMs } from './news.ts';

/** The states of the contract, by the machine's. */
export const raceStatuses: Readonly<Record<string, string>> = {
  qualifyingOpen: 'QUALIFYING_OPEN',
  qualifyingClosed: 'QUALIFYING_CLOSED',
  raceRunning: 'RACE_RUNNING',
  raceComplete: 'RACE_COMPLETE',
  raceCancelled: 'RACE_CANCELLED',
};

export type RaceStep = 'close' | 'start' | 'complete';

/** The step that the clock makes next, and when; null for a race that is over. */
export function nextStepOf(race: RaceState): { step: RaceStep; atMs: number } | null {
  const { closesAt, closedAt, deadlineAt } = race.context;
  if (race.value === 'qualifyingOpen') return { step: 'close', atMs: closesAt };
  if (race.value === 'qualifyingClosed') return { step: 'start', atMs: closedAt ?? closesAt };
  if (race.value === 'raceRunning') return { step: 'complete', atMs: deadlineAt ?? closesAt };
  return null;
}

/** What has to be done now, as far as the clock says. */
export function stepDue(race: RaceState, nowMs: number): RaceStep | null {
  const next = nextStepOf(race);
  return next !== null && nowMs >= next.atMs ? next.step : null;
}

/**
 * A running race ends early once nothing is awaited any more. What was ordered before its end counts, at the
 * limit as well: what is decided then is never decided again.
 */
export function isEndDue(
  race: RaceState,
  nowMs: number,
  awaited: Awaited & { readonly awaitsWork: boolean },
): boolean {
  const next = nextStepOf(race);
  if (next?.step !== 'complete') return false;
  const { awaitsWork, awaitsExclusions, isOrderOnItsWay } = awaited;
  const isDone = !awaitsWork && !awaitsExclusions && !isOrderOnItsWay;
  return isDone || nowMs >= heldUntilMs(next.atMs, awaited);
}

/** Whether a race goes on while an order is on its way, whatever it would come to: `isEndDue` says no then. */
export function waitsForOrders(race: RaceState, nowMs: number, servedSinceMs: number): boolean {
  const next = nextStepOf(race);
  return next?.step === 'complete' && nowMs < heldByOrderUntilMs(next.atMs, servedSinceMs);
}

export function decideOpening(race: RaceState, identity: RaceIdentity): RaceFact[] {
  return race.value === 'unopened' ? [{ type: 'RACE_OPENED', race: identity }] : [];
}

/** By the clock or by order; a second close changes nothing. Nobody can race in an empty field. */
export function decideClose(
  race: RaceState,
  entrants: readonly Entrant[],
  nowMs: number,
): RaceFact[] {
  if (race.value !== 'qualifyingOpen') return [];
  const entrantIds = entrants.map(({ agentVersionId }) => agentVersionId);
  const closed: RaceFact = { type: 'QUALIFYING_CLOSED', at: nowMs, entrantIds };
  return entrants.length > 0
    ? [closed]
    : [closed, { type: 'RACE_CANCELLED', at: nowMs, reason: 'NO_ENTRANT' }];
}

export function decideStart(race: RaceState, nowMs: number): RaceFact[] {
  if (race.value !== 'qualifyingClosed') return [];
  const deadlineAt = nowMs + race.context.policy.raceLimitMs;
  return [{ type: 'RACE_STARTED', at: nowMs, deadlineAt }];
}

/** Without a finisher there is nothing to measure anybody by: the race never counted. */
export function decideCompletion(race: RaceState, results: RaceResults, nowMs: number): RaceFact[] {
  if (race.value !== 'raceRunning') return [];
  if (results.kind === 'no-finisher') return decideCancel(race, 'NO_FINISHER', nowMs);
  const { winner, top } = results;
  return [
    {
      type: 'RACE_COMPLETED',
      at: nowMs,
      releasedAt: nowMs + race.context.policy.embargoMs,
      winnerId: winner.agentVersionId,
      promotedId: top.kind === 'promoted' ? top.agentVersionId : null,
    },
  ];
}

export function decideCancel(
  race: RaceState,
  reason: RaceCancelReason | ToldReason,
  nowMs: number,
): RaceFact[] {
  return nextStepOf(race) === null ? [] : [{ type: 'RACE_CANCELLED', at: nowMs, reason }];
}
