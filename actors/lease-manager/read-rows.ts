import { versionStatus } from '../../machines/agent-version/machine.ts';
import { isLive, type RunState, runStatus } from '../../machines/evaluation-run/machine.ts';
import type { WorkState } from '../../machines/work-item/machine.ts';
import type { Aggregate } from './aggregate.ts';

type Row = Readonly<Record<string, unknown>>;

/**
 * The changeable columns of `agent_version`; the others were set at the admission. The counts are
 * public, so runs of races are not among them: while a race runs they would tell how it goes. Nor are
 * runs that judge others again, of which at most a success counts, and that in the work it is put to.
 */
export function versionRow({ version, items, runs }: Aggregate): Row {
  const { context } = version.state;
  const qualifying = [...items.values()].find(({ state }) => isOfVersion(state.context));
  const counts = countsOf(runs);
  return {
    agent_version_id: context.agentVersionId,
    state: versionStatus(version.state),
    qualifying_score: context.scores.mean,
    score_low: context.scores.low,
    score_high: context.scores.high,
    final_score: context.scores.mean,
    eligible_at: instant(context.eligibleAt),
    discarded_at: version.state.value === 'discarded' ? instant(context.discardedAt) : null,
    discard_reason: context.discardReason,
    consecutive_agent_failures: context.consecutiveAgentFailures,
    live_run_count: counts.live,
    failed_run_count: counts.failed,
    stale_run_count: counts.stale,
    included_success_count: qualifying?.state.context.included.length ?? 0,
  };
}

/** In one pass: it is asked at each change of a version, which may have many runs behind it. */
function countsOf(runs: Aggregate['runs']) {
  const counts = { live: 0, failed: 0, stale: 0 };
  for (const { state } of runs.values()) {
    if (!isOfVersion(state.context)) continue;
    if (isLive(state)) counts.live += 1;
    else if (state.value === 'failed' || state.value === 'timedOut') counts.failed += 1;
    else if (state.value === 'stale') counts.stale += 1;
  }
  return counts;
}

function isOfVersion({ phase, rejudges }: { readonly phase: string; readonly rejudges: unknown }) {
  return phase === 'QUALIFYING' && rejudges === null;
}

export function workRow({ value, context }: WorkState, part: number): Row {
  return {
    work_item_id: context.workItemId,
    part,
    agent_version_id: context.agentVersionId,
    miner_hotkey: context.minerHotkey,
    miner_coldkey: context.minerColdkey,
    suite_id: context.suiteId,
    phase: context.phase,
    race_id: context.raceId,
    state: value.toUpperCase(),
    required_successes: context.requiredSuccesses,
    included_success_count: context.included.length,
    live_count: context.live.length,
    next_fence: context.nextFence,
    queued_at: instant(context.queuedAt),
    hold_until: instant(context.holdUntil),
    hold_reason: context.isMinerBanned ? 'MINER_BANNED' : context.holdReason,
    closed_at: instant(context.closedAt),
    close_reason: context.closeReason,
  };
}

export function runRow(run: RunState, part: number): Row {
  const { context } = run;
  return {
    eval_run_id: context.evalRunId,
    part,
    work_item_id: context.workItemId,
    agent_version_id: context.agentVersionId,
    suite_id: context.suiteId,
    phase: context.phase,
    race_id: context.raceId,
    execution_kind: context.executionKind,
    env_pack_sha256: context.envPackSha256,
    validator_hotkey: context.validatorHotkey,
    slot: context.slot,
    fence: context.fence,
    expected_items: context.expectedItems,
    claimed_at: instant(context.claimedAt),
    status: runStatus(run),
    is_included: context.isIncluded,
    exclusion_reason: context.exclusionReason,
    score_micro: context.scoreMicro,
    started_at: instant(context.startedAt),
    lease_expires_at: instant(context.leaseUntil),
    completed_at: instant(context.endedAt),
    end_reason: context.endReason,
    failure_class: context.faultClass,
    item_count: context.tally.items,
  };
}

/** Unix milliseconds as Postgres reads an instant. */
export function instant(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
