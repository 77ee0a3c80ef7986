import { factsOfSign } from '../../machines/evaluation-run/decide.ts';
import type { RunFact } from '../../machines/evaluation-run/facts.ts';
import type { RunState } from '../../machines/evaluation-run/machine.ts';
import type { Draft } from './draft.ts';

/**
 * Records what a validator tells of its run, whose lease ends at `leaseUntil` from then on. The first
 * sign of life, whichever it is, makes the run a running one. False when there was nothing to record.
 */
export function recordSign(
  draft: Draft,
  run: RunState,
  leaseUntil: number,
  told: readonly RunFact[],
): boolean {
  const { agentVersionId, evalRunId, suiteId, phase, raceId } = run.context;
  const started = factsOfSign(run, draft.nowMs, leaseUntil);
  if (started.length + told.length === 0) return false;
  draft.recordRun(agentVersionId, evalRunId, [...started, ...told]);
  if (started.length > 0) {
    draft.publish('run-started', { evalRunId, agentVersionId, suiteId, phase, raceId });
  }
  return true;
}
