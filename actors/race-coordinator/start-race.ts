import { decideStart } from '../../machines/race/decide.ts';
import { drawRaceTasks } from '../../machines/race/draw-race-tasks.ts';
import type { RaceState } from '../../machines/race/machine.ts';
import { cancelIfSuiteSwitched, cancelRace } from './cancel-race.ts';
import { type Draft, holdOf, instant } from './draft.ts';
import type { HeldOutTask } from './grounds.ts';

/** Draws the tasks and has the entrants' work opened. A second attempt draws the same. */
export function startRace(draft: Draft, raceId: string): void {
  const race = draft.race(raceId);
  if (race?.value !== 'qualifyingClosed') return;
  if (cancelIfSuiteSwitched(draft, race)) return;
  const heldOut = draft.grounds.heldOut.get(raceId);
  if (heldOut === undefined) return;
  const tasks = drawRaceTasks(heldOut, {
    count: race.context.policy.raceTasks,
    rank: (text) => draft.env.rank(raceId, text),
  });
  if (tasks.length === 0) {
    cancelRace(draft, race, 'NO_TASK');
    return;
  }
  warnIfFew(draft, race, tasks.length);
  draft.hold(holdOf(draft, race));
  const facts = decideStart(race, draft.nowMs);
  write(draft, draft.record(raceId, race.context.suiteId, facts), tasks);
}

/** It runs all the same, and its ranks are worth less. */
function warnIfFew(draft: Draft, { context }: RaceState, tasks: number): void {
  const { raceId, suiteId, raceNumber, policy } = context;
  const { raceTasks: askedFor } = policy;
  if (tasks >= askedFor) return;
  const fields = { raceId, suiteId, raceNumber, tasks, askedFor };
  draft.warn('a race starts with fewer tasks than it asks for', fields);
}

function write(draft: Draft, { context }: RaceState, tasks: readonly HeldOutTask[]): void {
  const { raceId, suiteId, raceNumber, entrantIds, deadlineAt, policy } = context;
  if (deadlineAt === null) throw new Error(`race ${raceId} started without a deadline`);
  draft.operation('race_started', [
    { race_id: raceId, started_at: instant(draft.nowMs), deadline_at: instant(deadlineAt) },
  ]);
  draft.operation(
    'race_task',
    tasks.map(({ row }, ordinal) => ({ race_id: raceId, ordinal, ...row })),
  );
  const { requiredSuccesses } = policy;
  draft.tellEval('race-started', entrantIds, { raceId, suiteId, requiredSuccesses });
  const entrantCount = entrantIds.length;
  draft.publish('race-started', raceId, { raceId, suiteId, raceNumber, entrantCount, deadlineAt });
}
