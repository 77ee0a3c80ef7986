import type { VersionState } from '../../machines/agent-version/machine.ts';
import type { RunState } from '../../machines/evaluation-run/machine.ts';
import type { ExecutionKind } from '../../machines/types.ts';
import type { WorkState } from '../../machines/work-item/machine.ts';
import { GrowingSet } from './growing-set.ts';

/** One machine with the number of facts that made it. */
export interface Entity<S> {
  readonly state: S;
  readonly seq: number;
}

/** An agent version with all its work and runs: what one decision may need at once. Immutable. */
export interface Aggregate {
  readonly version: Entity<VersionState>;
  readonly items: ReadonlyMap<string, Entity<WorkState>>;
  readonly runs: ReadonlyMap<string, Entity<RunState>>;
}

/** What the store holds of one run's uploads and results; kept in memory while the run lives. */
export interface Ledger {
  readonly taskIds: ReadonlySet<string>;
  readonly artifactSha256: GrowingSet<string>;
  /** URLs for logs that this owner let the run have. No row says so: a new owner counts afresh. */
  readonly logUploads: number;
}

export function ledgerOf(
  taskIds: Iterable<string> = [],
  artifactSha256: Iterable<string> = [],
): Ledger {
  return {
    taskIds: new Set(taskIds),
    artifactSha256: GrowingSet.of(artifactSha256),
    logUploads: 0,
  };
}

/** A suite as far as work on it needs it. */
export interface SuiteRoster {
  readonly suiteId: number;
  readonly executionKind: ExecutionKind;
  readonly envPackSha256: string | null;
  /** As the rules of the race that is open now say; the only part that ever changes. */
  readonly requiredSuccessesQualifying: number;
  readonly qualifying: Roster;
}

/** A race as far as work on it needs it. Once it is over it never runs again. */
export interface RaceTerms {
  readonly isRunning: boolean;
  /** Its own draw of tasks, fixed when it started; empty once it is over, unless judged again. */
  readonly roster: Roster;
}

export interface Roster {
  readonly problemIds: ReadonlySet<string>;
  /** Family by task id, in roster order; empty for a legacy suite. */
  readonly families: ReadonlyMap<string, string>;
}
