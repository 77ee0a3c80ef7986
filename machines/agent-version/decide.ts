import type { FaultClass } from '../types.ts';
import type { QualifyingScores, VersionFact } from './facts.ts';
import type { VersionState } from './machine.ts';

export interface EndedRun {
  /** Null for a success. */
  readonly faultClass: FaultClass | null;
  readonly nowMs: number;
  readonly agentFailureLimit: number;
}

/** What the end of a completed run means for its version; stale and cancelled runs mean nothing. */
export function decideRunEnd(version: VersionState, run: EndedRun): VersionFact[] {
  if (version.value !== 'running' && version.value !== 'eligible') return [];
  const { consecutiveAgentFailures } = version.context;
  if (run.faultClass === null) {
    return consecutiveAgentFailures > 0 ? [{ type: 'AGENT_FAULTS_CLEARED' }] : [];
  }
  if (run.faultClass === 'INTEGRITY') {
    return [{ type: 'DISCARDED', at: run.nowMs, reason: 'INTEGRITY' }];
  }
  if (run.faultClass !== 'AGENT') return [];
  const counted: VersionFact = { type: 'AGENT_FAULT_COUNTED' };
  return consecutiveAgentFailures + 1 < run.agentFailureLimit
    ? [counted]
    : [counted, { type: 'DISCARDED', at: run.nowMs, reason: 'AGENT_FAILURES' }];
}

/** New qualifying scores, which appear and vanish with the required successes. */
export function decideScores(
  version: VersionState,
  scores: QualifyingScores | null,
  nowMs: number,
): VersionFact[] {
  if (!isScored(version)) return [];
  if (scores === null) {
    return version.context.scores.mean === null
      ? []
      : [{ type: 'SCORED', scores: { mean: null, low: null, high: null } }];
  }
  const scored: VersionFact = { type: 'SCORED', scores };
  return version.value === 'running' ? [scored, { type: 'BECAME_ELIGIBLE', at: nowMs }] : [scored];
}

/** A discarded version keeps its score, so that it means something when the discard is taken back. */
function isScored({ value }: VersionState): boolean {
  return value === 'running' || value === 'eligible' || value === 'discarded';
}

/** Takes a discard back: the version stands where it stood, with its faults forgiven. */
export function decideReinstatement(
  { value, context }: VersionState,
  wasEvaluated: boolean,
): VersionFact[] {
  if (value !== 'discarded') return [];
  if (context.eligibleAt !== null) return [{ type: 'REINSTATED', to: 'eligible' }];
  return [{ type: 'REINSTATED', to: wasEvaluated ? 'running' : 'queued' }];
}
