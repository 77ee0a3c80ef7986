import type { z } from 'zod';
import type { VersionState } from '../../machines/agent-version/machine.ts';
import type { Outcome } from '../../machines/evaluation-run/decide.ts';
import type { RejudgedRun } from '../../machines/evaluation-run/facts.ts';
import type { RunState } from '../../machines/evaluation-run/machine.ts';
import type { ExclusionReason, JudgingEndReason, Lapse } from '../../machines/reasons/codes.ts';
import type { WorkState } from '../../machines/work-item/machine.ts';
import {
  barredFrom,
  endOfJudging,
  lapseOfVersion,
  obstacleToApplying,
  obstacleToJudging,
} from '../../machines/work-item/rejudging.ts';
import { type Answer, accepted } from './answer.ts';
import type { Draft } from './draft.ts';
import { cancelItem, freeInVain, rescore } from './end-run.ts';
import { isOfFormerSuite } from './former-suite.ts';
import type { evalMessages } from './messages.ts';
import { followMinerBan } from './miner-ban.ts';
import { instant } from './read-rows.ts';

type Opening = z.infer<(typeof evalMessages)['open-rejudging']>;
type Order = z.infer<(typeof evalMessages)['apply-rejudging']>;
type RunRef = Opening['runs'][number];

/** Offers each of the runs to another validator, once; what cannot be judged any more says why. */
export function openRejudging(draft: Draft, { rejudgingId, runs }: Opening): Answer {
  // The news of its end may come first, and finds nothing to cancel.
  if (draft.state.orders?.endedRejudgings.has(rejudgingId) === true) return accepted({});
  for (const run of runs) openJudging(draft, rejudgingId, run);
  return accepted({});
}

function openJudging(draft: Draft, rejudgingId: string, { agentVersionId, evalRunId }: RunRef) {
  const run = draft.run(agentVersionId, evalRunId);
  if (run === undefined) throw new Error(`run ${evalRunId} is unknown here`);
  const workItemId = draft.derivedId(`${rejudgingId}:${evalRunId}`);
  if (draft.aggregate(agentVersionId)?.items.has(workItemId) === true) return;
  const { workItemId: judgedWorkId, validatorHotkey } = run.context;
  const judgedWork = draft.item(agentVersionId, judgedWorkId);
  const { suiteId, phase, raceId, minerHotkey, minerColdkey } = judgedWork.context;
  const place = { workItemId, agentVersionId, suiteId, phase, raceId, minerHotkey, minerColdkey };
  // By the order: its message may come after the news of a switch that it was of before.
  const queuedAt = draft.state.orders?.rejudgingsOrderedAtMs.get(rejudgingId) ?? draft.nowMs;
  const work = { ...place, requiredSuccesses: 1, queuedAt };
  const rejudges = { rejudgingId, evalRunId, workItemId: judgedWorkId, validatorHotkey };
  draft.recordItem(agentVersionId, workItemId, [{ type: 'OPENED', work, rejudges }]);
  draft.operation('open_rejudging', {
    work_item_id: workItemId,
    agent_version_id: agentVersionId,
    miner_hotkey: minerHotkey,
    miner_coldkey: minerColdkey,
    suite_id: suiteId,
    phase,
    race_id: raceId,
    queued_at: instant(queuedAt),
    rejudging_id: rejudgingId,
    judged_run_id: evalRunId,
  });
  const reason =
    lapseOf(draft, agentVersionId, queuedAt) ?? obstacleToJudging(rejudges, judgedWork);
  if (reason === undefined) followMinerBan(draft, agentVersionId, workItemId);
  else giveUp(draft, draft.item(agentVersionId, workItemId), reason);
}

/** What was told to open work before this work was there, and tells nothing to work that was judged. */
function lapseOf(draft: Draft, agentVersionId: string, atMs: number): Lapse | undefined {
  const { value, context } = versionOf(draft, agentVersionId);
  const lapse = lapseOfVersion(value);
  if (lapse !== undefined) return lapse;
  const { activeSuiteId = null } = draft.state.orders ?? {};
  const { suiteId } = context;
  const isFormer = isOfFormerSuite(draft, activeSuiteId, { suiteId, atMs });
  return isFormer ? 'SUITE_SUPERSEDED' : undefined;
}

function versionOf(draft: Draft, agentVersionId: string): VersionState {
  const version = draft.aggregate(agentVersionId)?.version.state;
  if (version === undefined) throw new Error(`version ${agentVersionId} is unknown here`);
  return version;
}

/** Puts every verdict in the place of the success that it judged, where that is still possible. */
export function applyRejudging(draft: Draft, order: Order): Answer {
  for (const item of workOf(draft, order)) {
    if (item.value === 'judged') applyVerdict(draft, item);
  }
  return accepted({});
}

function applyVerdict(draft: Draft, item: WorkState): void {
  const { agentVersionId, workItemId, rejudges, verdict, queuedAt } = item.context;
  if (rejudges === null || verdict === null) return;
  const judgedWork = draft.aggregate(agentVersionId)?.items.get(rejudges.workItemId)?.state;
  const reason = obstacleToApplying(item, {
    judgedWork,
    lapse: lapseOf(draft, agentVersionId, queuedAt),
    bannedHotkeys: draft.state.orders?.bannedHotkeys ?? new Set(),
  });
  if (reason !== undefined || judgedWork === undefined) {
    const dropped = { type: 'VERDICT_DROPPED', reason: reason ?? 'RUN_EXCLUDED' } as const;
    draft.recordItem(agentVersionId, workItemId, [dropped]);
    return;
  }
  const { workItemId: judgedWorkId } = judgedWork.context;
  const fence = draft.state.freshFence(judgedWork.context);
  const { evalRunId } = rejudges;
  draft.recordRun(agentVersionId, evalRunId, [{ type: 'EXCLUDED', reason: 'REJUDGED' }]);
  draft.recordRun(agentVersionId, verdict.evalRunId, [
    { type: 'ADOPTED', workItemId: judgedWorkId, fence },
  ]);
  draft.operation('adopt_run', {
    eval_run_id: verdict.evalRunId,
    work_item_id: judgedWorkId,
    fence,
  });
  draft.recordItem(agentVersionId, judgedWorkId, [
    { type: 'SUCCESS_REPLACED', evalRunId, by: verdict, fence },
  ]);
  draft.recordItem(agentVersionId, workItemId, [{ type: 'VERDICT_APPLIED' }]);
  rescore(draft, agentVersionId, judgedWorkId);
}

/** Ends what is still open and drops what was found out. */
export function cancelRejudging(draft: Draft, order: Order): Answer {
  const reason = 'REJUDGING_CANCELLED';
  for (const item of workOf(draft, order)) {
    const { agentVersionId, workItemId } = item.context;
    if (item.value !== 'judged') cancelItem(draft, item, reason);
    else draft.recordItem(agentVersionId, workItemId, [{ type: 'VERDICT_DROPPED', reason }]);
  }
  return accepted({});
}

function workOf(draft: Draft, { rejudgingId, agentVersionIds }: Order): WorkState[] {
  return agentVersionIds.flatMap((versionId) =>
    [...(draft.aggregate(versionId)?.items.values() ?? [])]
      .map(({ state }) => state)
      .filter(({ context }) => context.rejudges?.rejudgingId === rejudgingId),
  );
}

/** Ends what was to be judged again of a version, as far as the former suite asked for it. */
export function endJudging(
  draft: Draft,
  agentVersionId: string,
  isSuperseded: (queuedAt: number) => boolean,
): void {
  for (const { state } of [...(draft.aggregate(agentVersionId)?.items.values() ?? [])]) {
    const { rejudges, queuedAt } = state.context;
    if (rejudges !== null && isSuperseded(queuedAt)) cancelItem(draft, state, 'SUITE_SUPERSEDED');
  }
}

export function isBarred(draft: Draft, item: WorkState, validatorHotkey: string): boolean {
  if (item.context.rejudges === null) return false;
  const items = draft.aggregate(item.context.agentVersionId)?.items.values() ?? [];
  const ofVersion = [...items].map(({ state }) => state);
  return barredFrom(item, ofVersion).has(validatorHotkey);
}

/** What a run of this work judges again. */
export function rejudgedBy({ context }: WorkState): RejudgedRun | undefined {
  if (context.rejudges === null) return undefined;
  const { rejudgingId, evalRunId } = context.rejudges;
  return { rejudgingId, evalRunId };
}

/**
 * What the end of such a run means for its work; to version, score and blame it means nothing. Says
 * why its success does not count.
 */
export function settleVerdict(
  draft: Draft,
  run: RunState,
  outcome: Exclude<Outcome, { readonly kind: 'replay' }>,
): ExclusionReason | undefined {
  const { agentVersionId, workItemId, evalRunId, validatorHotkey } = run.context;
  if (outcome.kind === 'failure') {
    const { faultClass } = outcome;
    freeInVain(draft, run, outcome);
    const agentFaults = 1 + agentFaultsOf(draft, run);
    const { agentFailureLimit } = draft.policy;
    const reason = endOfJudging({ faultClass, agentFaults, agentFailureLimit });
    if (reason !== undefined) giveUp(draft, draft.item(agentVersionId, workItemId), reason);
    return undefined;
  }
  if (outcome.isPartial) {
    freeInVain(draft, run, outcome);
    return 'INCOMPLETE';
  }
  const verdict = { evalRunId, validatorHotkey, scoreMicro: outcome.scoreMicro };
  draft.recordItem(agentVersionId, workItemId, [
    { type: 'VERDICT_REACHED', verdict, at: draft.nowMs },
  ]);
  return 'REJUDGING';
}

/** Of work that nobody is at: it asks for one run, and that has ended or was never claimed. */
function giveUp(draft: Draft, item: WorkState, reason: JudgingEndReason): void {
  if (item.value !== 'open') return;
  const { agentVersionId, workItemId } = item.context;
  const cancelled = { type: 'WORK_CANCELLED', at: draft.nowMs, reason } as const;
  draft.recordItem(agentVersionId, workItemId, [cancelled]);
}

function agentFaultsOf(draft: Draft, { context }: RunState): number {
  const runs = draft.aggregate(context.agentVersionId)?.runs.values() ?? [];
  return [...runs].filter(
    ({ state }) =>
      state.context.workItemId === context.workItemId && state.context.faultClass === 'AGENT',
  ).length;
}
