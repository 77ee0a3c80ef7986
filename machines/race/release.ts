/** What the release of a race's detail depends on; instants are Unix milliseconds. */
export interface RaceSeal {
  readonly status: string;
  /** Completion plus embargo; null until the race is complete. */
  readonly releasedAtMs: number | null;
}

/**
 * Whether the tasks, runs, scores and artifacts of a race are public (rules.md section 6): once it is
 * complete and its embargo over. A cancelled race releases nothing.
 */
export function isRaceReleased({ status, releasedAtMs }: RaceSeal, nowMs: number): boolean {
  return status === 'RACE_COMPLETE' && releasedAtMs !== null && nowMs >= releasedAtMs;
}
