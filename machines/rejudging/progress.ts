/** How far a rejudging is, as its rows say. */
export type RejudgingStatus = 'OPEN' | 'READY' | 'APPLYING' | 'APPLIED' | 'CANCELLED';

export interface RejudgingFacts {
  readonly isApplied: boolean;
  readonly isCancelled: boolean;
  /** Runs whose work is not there yet, or is open. */
  readonly openCount: number;
  /** Runs with a verdict that is neither applied nor dropped. */
  readonly judgedCount: number;
}

/** Ready is who waits for no validator any more; applied who has no verdict left to apply. */
export function rejudgingStatus(facts: RejudgingFacts): RejudgingStatus {
  if (facts.isCancelled) return 'CANCELLED';
  if (facts.isApplied) return facts.judgedCount > 0 ? 'APPLYING' : 'APPLIED';
  return facts.openCount > 0 ? 'OPEN' : 'READY';
}

export const judgingStates = [
  'WAITING',
  'RUNNING',
  'JUDGED',
  'APPLIED',
  'DROPPED',
  'ENDED',
] as const;
export type JudgingState = (typeof judgingStates)[number];

export interface JudgingWork {
  /** The state of its work; null before its partition has opened it. */
  readonly work: string | null;
  readonly liveCount: number;
  readonly hasVerdict: boolean;
  readonly isRejudgingCancelled: boolean;
}

/** What became of one run: DROPPED is a verdict that was not used, ENDED what came to no verdict. */
export function judgingState(judging: JudgingWork): JudgingState {
  const { work, liveCount, hasVerdict, isRejudgingCancelled } = judging;
  if (work === 'JUDGED') return 'JUDGED';
  if (work === 'APPLIED') return 'APPLIED';
  if (work === 'CANCELLED') return hasVerdict ? 'DROPPED' : 'ENDED';
  if (isRejudgingCancelled) return 'ENDED';
  return liveCount > 0 ? 'RUNNING' : 'WAITING';
}
