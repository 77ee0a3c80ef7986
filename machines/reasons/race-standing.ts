/**
 * How an eligible version stands to the races. While qualifying is open, what is selected is who would
 * race if it closed now, with the threshold applied; from the close on, who does. Only the timeline tells
 * the two apart: work of the race may be done, or not made yet, while the race goes on.
 */
export type RaceStanding =
  /** An entrant of a race that is not over. */
  | 'ENTERED'
  /** Its miner's, if qualifying closed now. */
  | 'CHOSEN'
  /** It could not race, nor be pinned. */
  | 'BARRED'
  /** It could race; which version of its miner does is the pin, or the best score at a close. */
  | 'ABLE';

interface VersionToRaces {
  readonly is_active_qualifier: boolean;
  readonly pin_disabled_reason: string | null;
  readonly waiting: { readonly phase: string | null };
  readonly timeline: readonly { readonly event: string }[];
}

export function raceStandingOf(version: VersionToRaces): RaceStanding {
  if (isEntrant(version)) return 'ENTERED';
  if (version.is_active_qualifier) return 'CHOSEN';
  return version.pin_disabled_reason === null ? 'ABLE' : 'BARRED';
}

/** A version's races follow each other: the next one opens when the one before is over. */
function isEntrant({ waiting, timeline }: VersionToRaces): boolean {
  if (waiting.phase === 'RACE') return true;
  return timeline.findLast(({ event }) => raceBounds.has(event))?.event === 'race_entered';
}

const raceBounds: ReadonlySet<string> = new Set([
  'race_entered',
  'race_completed',
  'race_cancelled',
]);
