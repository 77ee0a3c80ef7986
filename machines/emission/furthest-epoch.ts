export interface MadeEpoch {
  readonly epochIndex: number;
  readonly madeAtMs: number;
}

/** So many of the newest standings say how far it can be: three days of them. */
export const witnessCount = 60;

/** One for the rest of the epoch that the newest was made in, and one for clocks that differ. */
const spareEpochs = 2;

/**
 * The last epoch that it can be by now. Standings never go back, so a chain node that names a later
 * one is not believed: its one wrong number would stay the newest for years.
 *
 * It is the last one that any of the witnesses allows. A clock that was ahead wrote that its standings
 * are younger than they are; by these alone an honest chain would be too far for ever, once three of
 * its epochs had passed unasked. What the chain missed since the oldest witness is spare as well.
 */
export function furthestEpoch(
  witnesses: readonly MadeEpoch[],
  nowMs: number,
  epochMs: number,
): number {
  const allowed = witnesses.map(({ epochIndex, madeAtMs }) => {
    // A clock that was put back takes nothing away.
    const passedMs = Math.max(0, nowMs - madeAtMs);
    return epochIndex + Math.floor(passedMs / epochMs) + spareEpochs;
  });
  return Math.max(...allowed);
}
