import type { RunCancelReason } from '../../../machines/reasons/codes.ts';
import type { RunRow } from '../reads/runs.ts';
import { isDetailReleased } from './race.ts';

declare const shown: unique symbol;

/** A run as anybody may see it. Only `publicRun` makes one, so that no answer skips the seal. */
export type PublicRun<R extends RunRow = RunRow> = R & {
  /** Whether its problems and results may be read. */
  readonly isReleased: boolean;
  readonly [shown]: true;
};

/** Qualifying results are open at once; those of a race by its release. */
export function isRunReleased(
  run: Pick<RunRow, 'nowMs' | 'phase' | 'raceReleasedAt' | 'raceStatus'>,
): boolean {
  if (run.phase === 'QUALIFYING') return true;
  const { raceStatus, raceReleasedAt, nowMs } = run;
  return (
    raceStatus !== null &&
    isDetailReleased({ status: raceStatus, releasedAt: raceReleasedAt, nowMs })
  );
}

/**
 * Under seal, how a validator judged is a result too: a run that it completed, however, goes on as
 * RUNNING, and ends with a race that is cancelled. What ended without its word (STALE, CANCELLED) is
 * told.
 *
 * Who fails often has stored less than all results, or gave no sign of life before: whatever was judged
 * has all of them and began when it was claimed, as if it had succeeded at once.
 *
 * A cancelled race releases nothing, so neither which of its runs were judged nor when: whatever had
 * not ended for all to see ends at its instant, also while the owner has not heard of it.
 */
export function publicRun<R extends RunRow>(run: R): PublicRun<R> {
  const isReleased = isRunReleased(run);
  return { ...(isReleased ? run : { ...run, ...seal(run) }), isReleased } as PublicRun<R>;
}

const judged: ReadonlySet<string> = new Set(['SUCCESS', 'FAILED', 'TIMED_OUT']);

function seal(run: RunRow) {
  const nothing = {
    isIncluded: false,
    exclusionReason: null,
    scoreMicro: null,
    failureReason: null,
    failureClass: null,
    scoreComponents: null,
    sandboxMetadata: null,
  };
  const { raceCancelledAt: cancelledAt } = run;
  if (cancelledAt !== null) return { ...nothing, ...endOfCancelled(run, cancelledAt) };
  if (!judged.has(run.status)) return nothing;
  return {
    ...nothing,
    ...asIfSucceeded(run),
    status: 'RUNNING',
    completedAt: null,
    endReason: null,
  };
}

function asIfSucceeded({ claimedAt, expectedItems }: RunRow) {
  return { startedAt: claimedAt, storedItems: expectedItems };
}

function endOfCancelled(run: RunRow, cancelledAt: Date) {
  const { status, completedAt } = run;
  const endReason: RunCancelReason = 'RACE_CANCELLED';
  // The clock of who ended it with its race may have been behind.
  const hadEnded = completedAt !== null && completedAt < cancelledAt && run.endReason !== endReason;
  if (hadEnded && !judged.has(status)) return {};
  return { ...asIfSucceeded(run), status: 'CANCELLED', endReason, completedAt: cancelledAt };
}
