import type { VersionRow } from '../reads/agent-versions.ts';
import type { OutcomeRow } from '../reads/version-outcomes.ts';
import { isRunReleased } from './public-run.ts';

/**
 * The agent's faults in a row, as the public runs of its version give them: what came of a race under
 * seal neither counts nor resets yet. Counted as the version's owner does: a reinstatement forgives. That
 * one happened is no secret of a race, for whether a version is discarded is public at once.
 */
export function publicAgentFailures(
  { consecutiveAgentFailures }: Pick<VersionRow, 'consecutiveAgentFailures'>,
  runs: readonly OutcomeRow[],
): number {
  if (runs.every(isRunReleased)) return consecutiveAgentFailures;
  const endOf = ({ completedAt }: OutcomeRow) => completedAt?.getTime() ?? 0;
  const ended = runs
    .filter((run) => isRunReleased(run) && run.completedAt !== null && !run.isForgiven)
    .toSorted((a, b) => endOf(a) - endOf(b));
  let inARow = 0;
  for (const { status, failureClass } of ended) {
    if (status === 'SUCCESS') inARow = 0;
    else if (failureClass === 'AGENT' && isFailed(status)) inARow += 1;
  }
  return inARow;
}

function isFailed(status: string): boolean {
  return status === 'FAILED' || status === 'TIMED_OUT';
}
