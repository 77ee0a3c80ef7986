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
  const { agentVersionId, evalRunId } = run.context;
  const facts = [...factsOfSign(run, draft.nowMs, leaseUntil), ...told];
  draft.recordRun(agentVersionId, evalRunId, facts);
  return facts.length > 0;
}
