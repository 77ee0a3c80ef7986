export interface NewestEpoch {
  readonly epochIndex: number;
  readonly madeAtMs: number;
}

/** One for the rest of the epoch that the newest was made in, and one for clocks that differ. */
const spareEpochs = 2;

/**
 * The last epoch that it can be by now. Standings never go back, so a chain node that names a later
 * one is not believed: its one wrong number would stay the newest for years.
 */
export function furthestEpoch(newest: NewestEpoch, nowMs: number, epochMs: number): number {
  // A clock that was put back takes nothing away.
  const passedMs = Math.max(0, nowMs - newest.madeAtMs);
  return newest.epochIndex + Math.floor(passedMs / epochMs) + spareEpochs;
}
