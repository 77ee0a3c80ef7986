export interface LeaderboardRow {
  readonly rank: number;
  readonly agentVersionId: string;
  readonly agentName: string;
  readonly minerHotkey: string;
  readonly versionNumber: number;
  readonly state: string;
  readonly finalScore: number | null;
  readonly qualifyingScore: number | null;
  /** Of the latest completed race that scored the version, as is `weightedScore`. */
  readonly raceScore: number | null;
  readonly weightedScore: number | null;
  /** Of the score that the board is by; of a race only once its runs may be told. */
  readonly scoreLow: number | null;
  readonly scoreHigh: number | null;
  readonly isCurrentTop: boolean;
  readonly wasTop: boolean;
  /** The start of the latest reign. */
  readonly topAt: Date | null;
  readonly eligibleAt: Date | number;
  readonly eliminatedAt: Date | number | null;
  readonly isMinerBanned: boolean;
}
