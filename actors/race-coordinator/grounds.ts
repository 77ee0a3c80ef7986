import type { DrawableRaceTask } from '../../machines/race/draw-race-tasks.ts';
import type { FieldCandidate, RaceInputs } from '../../machines/race/field.ts';
import type { PolicyBasis } from '../../machines/race/policy-overrides.ts';
import type { ReignEndReason } from '../../machines/reasons/codes.ts';
import type { RaceEntity } from './race-state.ts';

/**
 * What the tables said when a batch began. The digests go into the commit, which compares them under
 * its locks: a decision on grounds that moved meanwhile is taken afresh.
 */
export interface Grounds {
  /** Those of the partition that are active or have an unfinished race. */
  readonly suites: ReadonlyMap<number, SuiteGround>;
  readonly fields: ReadonlyMap<string, Digested<readonly FieldCandidate[]>>;
  /** Of races that may be at their end, and that no order on its way holds, whatever they would come to. */
  readonly results: ReadonlyMap<string, EndGround>;
  /** By race. */
  readonly heldOut: ReadonlyMap<string, readonly HeldOutTask[]>;
  /** Over already, but asked for. */
  readonly finished: ReadonlyMap<string, RaceEntity>;
  readonly reign: OpenReign | null;
}

export interface EndInputs extends RaceInputs {
  /** Runs of banned validators still count: their exclusion is under way. */
  readonly awaitsExclusions: boolean;
  /** Somebody still has to evaluate something. */
  readonly awaitsWork: boolean;
}

export interface EndGround extends Digested<EndInputs> {
  /** When whoever has the open reign was discarded or banned in it, the last time. */
  readonly topFellAtMs: number | null;
  /** An operator's order that changes what the race comes to was sent, and is neither taken nor parked. */
  readonly isOrderOnItsWay: boolean;
}

export interface Digested<T> {
  readonly value: T;
  readonly md5: string;
}

export interface SuiteGround {
  readonly suiteId: number;
  readonly isActive: boolean;
  /** The last time that it was not active before. */
  readonly activatedAtMs: number | null;
  /** 0 before the first race. */
  readonly lastRaceNumber: number;
  readonly policyBasis: Digested<PolicyBasis>;
}

/** A task that was not public in qualifying. `taskId` is what it is drawn by. */
export interface HeldOutTask extends DrawableRaceTask {
  readonly row: {
    readonly problem_id: string;
    readonly task_id: string | null;
    readonly family: string | null;
  };
}

/** The row of top_agent that is still open. */
export interface OpenReign {
  readonly topId: string;
  readonly suiteId: number;
  readonly agentVersionId: string;
  readonly minerHotkey: string;
  readonly topAtMs: number;
  readonly suiteActivatedAtMs: number | null;
  /** OUTRANKED while it stands: nothing but a challenger could end it. */
  readonly endReason: ReignEndReason;
  /** When its suite's newest race was completed, by the clock of who owned it then. */
  readonly lastRaceAtMs: number | null;
}
