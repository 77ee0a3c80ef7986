/**
 * A simulated clock: the database's own plus an offset that operators move on. Processes learn the
 * offset and tell how far they are, so that nothing is passed over on the way.
 */

/** The clock moved, or somebody asks how far everybody is. Body: ClockState. */
export const movedSignal = 'clock';
/** A process has told something new. */
export const heardSignal = 'clock-heard';

export interface ClockState {
  readonly offsetUs: number;
  /** Grows with every move and every question. */
  readonly round: number;
}

/** What a process that owns partitions has to do, and when it will have more. */
export interface Outlook {
  readonly incarnation: string;
  /** Nothing waits, nothing is being decided, nothing is due. */
  readonly isIdle: boolean;
  /** This process's idea of now, Unix milliseconds; `nextDueMs` is to be compared with it. */
  readonly nowMs: number;
  readonly nextDueMs: number | undefined;
  readonly partitions: number;
  readonly epochSum: number;
}

export interface FollowerReport extends ClockState {
  readonly process: string;
  /** Null for an edge, which owns nothing. */
  readonly incarnation: string | null;
  readonly isIdle: boolean;
  readonly nextDueMs: number | null;
  readonly partitions: number;
  readonly epochSum: number;
}

export interface ClockStore {
  read(): Promise<ClockState>;
  /** Tells how far a process is; answers how far the clock is. */
  report(report: FollowerReport): Promise<ClockState>;
}

/** What the domain takes for now on this host: its wall clock, moved on where the clock is simulated. */
export interface DomainTime {
  nowMs(): number;
  offsetMs(): number;
}
