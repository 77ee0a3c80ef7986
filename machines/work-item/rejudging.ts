import type { JudgingEndReason, Lapse } from '../reasons/codes.ts';
import type { FaultClass } from '../types.ts';
import type { JudgedSuccess } from './facts.ts';
import type { WorkState } from './machine.ts';

/**
 * Who must not judge a success again, beside the validator that is judged: whoever has a say in the same
 * work, or would have one by a verdict. Else one validator would count twice in one score.
 */
export function barredFrom(item: WorkState, ofVersion: Iterable<WorkState>): ReadonlySet<string> {
  const { rejudges } = item.context;
  const barred = new Set<string>();
  if (rejudges === null) return barred;
  for (const { value, context } of ofVersion) {
    const { workItemId, live, included, verdict } = context;
    const isJudged = workItemId === rejudges.workItemId;
    const isSibling = context.rejudges?.workItemId === rejudges.workItemId;
    if (!isJudged && !isSibling) continue;
    for (const { validatorHotkey } of [...live, ...included]) barred.add(validatorHotkey);
    if (value === 'judged' && verdict !== null) barred.add(verdict.validatorHotkey);
  }
  return barred;
}

/** Why a version is not judged again in this state; a version is cancelled only by another suite. */
export function lapseOfVersion(value: string): Lapse | undefined {
  if (value === 'discarded') return 'VERSION_DISCARDED';
  return value === 'cancelled' ? 'SUITE_SUPERSEDED' : undefined;
}

/** Why this success cannot be judged again; undefined when it still counts. */
export function obstacleToJudging(
  judged: JudgedSuccess,
  judgedWork: WorkState | undefined,
): JudgingEndReason | undefined {
  const stands = judgedWork?.context.included.some(
    ({ evalRunId }) => evalRunId === judged.evalRunId,
  );
  return stands === true ? undefined : 'RUN_EXCLUDED';
}

/** A run of one work item, and which of its runs it judged before it was put in that one's place. */
export interface PlacedRun {
  readonly evalRunId: string;
  readonly judgedRunId: string | null;
  readonly isIncluded: boolean;
}

/**
 * The success that counts in the place of this one; null when none does. What replaced a run may be
 * replaced in turn, and a run that was taken back may be judged anew: of all that ever held one place,
 * however they came to it, one counts.
 */
export function countedInPlaceOf(evalRunId: string, ofWork: readonly PlacedRun[]): string | null {
  const judgedBy = new Map(ofWork.map((run) => [run.evalRunId, run.judgedRunId]));
  const placeOf = (run: string): string => {
    const judged = judgedBy.get(run) ?? null;
    return judged === null ? run : placeOf(judged);
  };
  const counted = ofWork.find(
    (run) =>
      run.isIncluded &&
      run.evalRunId !== evalRunId &&
      placeOf(run.evalRunId) === placeOf(evalRunId),
  );
  return counted?.evalRunId ?? null;
}

export interface FailedJudging {
  readonly faultClass: FaultClass;
  /** Failed runs of this work by a fault of the agent, this one among them. */
  readonly agentFaults: number;
  readonly agentFailureLimit: number;
}

/** Why judging again is given up; undefined when another validator may try. Nobody is blamed for it. */
export function endOfJudging(failed: FailedJudging): JudgingEndReason | undefined {
  if (failed.faultClass === 'INTEGRITY') return 'INTEGRITY';
  return failed.faultClass === 'AGENT' && failed.agentFaults >= failed.agentFailureLimit
    ? 'AGENT_FAILURES'
    : undefined;
}

export interface Application {
  readonly judgedWork: WorkState | undefined;
  /** Why nothing of the version is evaluated any more. */
  readonly lapse: Lapse | undefined;
  readonly bannedHotkeys: ReadonlySet<string>;
}

/** Why a verdict changes nothing; undefined when it does. */
export function obstacleToApplying(item: WorkState, to: Application): JudgingEndReason | undefined {
  const { rejudges, verdict, raceId } = item.context;
  if (rejudges === null || verdict === null) return 'NO_VERDICT';
  // What a race came to is history: its bundle is published, its emissions are paid.
  if (raceId !== null) return 'RACE_OVER';
  if (to.lapse !== undefined) return to.lapse;
  const obstacle = obstacleToJudging(rejudges, to.judgedWork);
  if (obstacle !== undefined) return obstacle;
  if (to.bannedHotkeys.has(verdict.validatorHotkey)) return 'VALIDATOR_BANNED';
  const isSecond = to.judgedWork?.context.included.some(
    ({ validatorHotkey }) => validatorHotkey === verdict.validatorHotkey,
  );
  return isSecond === true ? 'SAME_VALIDATOR' : undefined;
}
