import type { VersionRow } from '../reads/agent-versions.ts';
import type { RunRow } from '../reads/runs.ts';
import { isRunReleased } from './public-run.ts';

export interface VersionFaults {
  readonly failedRunCount: number;
  readonly consecutiveAgentFailures: number;
}

/**
 * The counters of a version as its public runs give them: what failed in a race under seal does not
 * count yet.
 *
 * @param runs all of the version's
 */
export function publicFaults(
  { failedRunCount, consecutiveAgentFailures }: VersionRow,
  runs: readonly RunRow[],
): VersionFaults {
  const open = runs.filter(isRunReleased);
  if (open.length === runs.length) return { failedRunCount, consecutiveAgentFailures };
  const judged = open
    .filter(({ completedAt }) => completedAt !== null)
    .toSorted((a, b) => (a.completedAt?.getTime() ?? 0) - (b.completedAt?.getTime() ?? 0));
  const isFailed = ({ status }: RunRow) => status === 'FAILED' || status === 'TIMED_OUT';
  let inARow = 0;
  for (const run of judged) {
    if (run.status === 'SUCCESS') inARow = 0;
    if (isFailed(run) && run.failureClass === 'AGENT') inARow += 1;
  }
  return { failedRunCount: judged.filter(isFailed).length, consecutiveAgentFailures: inARow };
}
