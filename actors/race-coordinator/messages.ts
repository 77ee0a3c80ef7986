import { z } from 'zod';

/**
 * What the race partitions understand, all of it durable messages over `evt.race.<part>.<type>`: the
 * same order twice is one order, and none is lost. The answer of an operator's order stands in the
 * inbox under its message id. Messages say that something changed; how things stand is read from the
 * tables, so that late or repeated ones do no harm.
 */
const ofRace = { raceId: z.guid() };

export const raceMessages = {
  /** Another suite is active: opens its first race and cancels what runs on others. */
  'suite-activated': z.object({ suiteId: z.number().int() }),
  /** A RACE work item was closed, cancelled or opened again. */
  'work-changed': z.object({ ...ofRace, agentVersionId: z.guid() }),
  /**
   * The reign of a discarded version or a banned hotkey ends, also when the discard or ban of that
   * instant was taken back before the message came.
   */
  'version-discarded': z.object({ agentVersionId: z.guid(), atMs: z.number() }),
  'hotkey-banned': z.object({ hotkey: z.string(), atMs: z.number() }),
  /**
   * Orders of operators; each answers `raceState`. One that the clock has carried out already
   * changes nothing and answers the same. Refusals: RACE_NOT_FOUND, RACE_OVER.
   */
  'close-qualifying': z.object(ofRace),
  'start-race': z.object(ofRace),
  'cancel-race': z.object({ ...ofRace, reason: z.string() }),
} as const;

export type RaceMessageType = keyof typeof raceMessages;

export const raceState = z.object({ ...ofRace, status: z.string() });

/** Public facts, on `fact.<name>`. */
export const raceFacts = [
  'race-opened',
  'race-closed',
  'race-started',
  'race-completed',
  'race-cancelled',
  'top-changed',
] as const;
export type RaceFact = (typeof raceFacts)[number];
