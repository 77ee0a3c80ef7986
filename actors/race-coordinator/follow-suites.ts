import { cancelIfSuiteSwitched } from './cancel-race.ts';
import type { Draft } from './draft.ts';
import { endFallenReign } from './end-reign.ts';
import { openNextRace } from './open-race.ts';

/** The active suite has an unfinished race and no other suite has one. */
export function followSuites(draft: Draft): void {
  for (const race of draft.unfinished()) cancelIfSuiteSwitched(draft, race);
  for (const { suiteId } of draft.grounds.suites.values()) openNextRace(draft, suiteId);
  endFallenReign(draft);
}
